// Reads a project's configuration of issues (mainly its presets) into its row, so that deciders see it; where there
// are several nodes also what its sites take from its home node's file.
import type { ProjectSlug } from "#contract/ids.ts";
import { type LoadedPreset, PresetName } from "#contract/preset.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { loadPreset, presetNamed } from "#domain/preset.ts";
import { decideConfigureProject } from "#domain/project.ts";
import { bySystem, type Dispatch } from "../ports/dispatch.ts";
import type { IssueWork } from "../ports/issue-work.ts";
import type { Reads } from "../ports/store.ts";

/** A broken preset is stored with its error; a broken file changes nothing. */
export async function loadWorkSettings(
	slug: ProjectSlug,
	parts: { reads: Reads; dispatch: Dispatch; issueWork: IssueWork },
): Promise<Refusal | null> {
	const project = await parts.reads.project(slug);
	if (project === undefined || project.removedAt !== null) return null;
	const written = await parts.issueWork.written(slug);
	if ("wrong" in written) return refuse("VALIDATION_ERROR", written.wrong);
	const { presets, pending = [], issues, shared } = written;
	const loaded: Record<PresetName, LoadedPreset> = {};
	for (const [name, preset] of Object.entries(presets)) {
		if (!PresetName.safeParse(name).success)
			return refuse(
				"VALIDATION_ERROR",
				`${JSON.stringify(name)} is not a name for a preset: use a short lower-case word.`,
			);
		loaded[name] = loadPreset(preset);
	}
	// a preset that is not approved must not hide a built-in one
	for (const name of pending)
		if (PresetName.safeParse(name).success && "broken" in presetNamed({ presets: loaded }, name))
			loaded[name] ??= notApproved(slug);
	const sharing = shared !== undefined && (project.homeConfig !== undefined || (await parts.reads.nodes()).length > 1);
	const command = {
		type: "project.configure" as const,
		...{ slug, presets: loaded, written: issues, ...(sharing && { homeConfig: shared }) },
	};
	const decided = decideConfigureProject({ project }, command);
	// nothing is dispatched if nothing changed
	if (!isRefusal(decided) && decided.length === 0) return null;
	const outcome = await parts.dispatch(bySystem(command));
	return "refused" in outcome ? outcome.refused : null;
}

const notApproved = (slug: ProjectSlug): LoadedPreset => ({
	broken: `the repository's .brood.yaml brings it, and nobody has approved that; see brood project settings ${slug}`,
});
