// Brings what is written about a project's issues (its presets above all) into its row, so that decisions see it.
import { type ProjectSlug, system } from "#contract/ids.ts";
import { type LoadedPreset, PresetName } from "#contract/preset.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { loadPreset, presetNamed } from "#domain/preset.ts";
import { decideConfigureProject } from "#domain/project.ts";
import type { Dispatch } from "../ports/dispatch.ts";
import type { IssueWork } from "../ports/issue-work.ts";
import type { Reads } from "../ports/store.ts";

/** A preset that is broken is brought along with what is wrong with it; a file that is broken changes nothing. */
export async function loadIssueSettings(
	slug: ProjectSlug,
	parts: { reads: Reads; dispatch: Dispatch; work: IssueWork },
): Promise<Refusal | null> {
	const project = await parts.reads.project(slug);
	if (project === undefined || project.removedAt !== null) return null;
	const written = await parts.work.written(slug);
	if ("wrong" in written) return refuse("VALIDATION_ERROR", written.wrong);
	const { presets, pending = [], issues } = written;
	const loaded: Record<PresetName, LoadedPreset> = {};
	for (const [name, preset] of Object.entries(presets)) {
		if (!PresetName.safeParse(name).success)
			return refuse(
				"VALIDATION_ERROR",
				`${JSON.stringify(name)} is no name for a preset: use a short lower-case word.`,
			);
		loaded[name] = loadPreset(preset);
	}
	// nothing that nobody agreed to may stand in the way of what there is without it
	for (const name of pending)
		if (PresetName.safeParse(name).success && "broken" in presetNamed({ presets: loaded }, name))
			loaded[name] ??= notAgreed(slug);
	const command = { type: "project.tune" as const, slug, presets: loaded, written: issues };
	const decided = decideConfigureProject({ project }, command);
	// whoever only reads writes nothing
	if (!isRefusal(decided) && decided.length === 0) return null;
	const outcome = await parts.dispatch({ actor: system, key: null, command });
	return "refused" in outcome ? outcome.refused : null;
}

const notAgreed = (slug: ProjectSlug): LoadedPreset => ({
	broken: `the repository's .brood.yaml brings it, and nobody has approved that; see brood project settings ${slug}`,
});
