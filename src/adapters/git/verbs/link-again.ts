// Links shared paths into a workspace again, as a recovery does it.
import path from "node:path";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { UpdateResult } from "#contract/wire.ts";
import type { Checkout, StepControl } from "#engine/ports/workspace-requests.ts";
import { exists } from "../layout/layout.ts";
import { markerIn, writeMarker } from "../layout/marker.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { asideFolder, noteOf } from "../workspace/keep.ts";
import { projectSettings } from "../workspace/settings.ts";
import { share, shareFrom } from "../workspace/shared.ts";
import { healthOf } from "./health.ts";
import { updateResult } from "./sync.ts";

/** Links shared paths again where nothing else is wrong: that needs no change of the agent's own files. */
export async function onlyLinks(
	context: GitContext,
	checkout: Checkout,
	control: StepControl,
): Promise<UpdateResult | Refusal | null> {
	const { issues: problems } = await healthOf(context, checkout, { commit: null });
	if (problems.length === 0 || problems.some(({ code }) => code !== "LINK_BROKEN")) return null;
	const unlinked = await linkAgain(context, checkout, control);
	const text = sentences("Your shared paths are linked again.", unlinked, "Your files were left as they are.");
	return await updateResult(context, checkout, false, text);
}

export const sentences = (...texts: (string | null)[]): string => texts.filter((text) => text !== null).join(" ");

/** Says where files went that were in the place of a link; null if there were none. */
export async function linkAgain(context: GitContext, checkout: Checkout, control: StepControl): Promise<string | null> {
	const { project, workspace } = checkout;
	const effective = await projectSettings(context, project, control.approved);
	if (isRefusal(effective) || effective.settings.shared.length + effective.settings.copy.length === 0) return null;
	const filled = context.given === undefined ? {} : { filled: context.given.primary };
	const entry = await asideFolder(context, checkout);
	const files = path.join(entry, "files");
	const hadFiles = await exists(files);
	const from = { ...shareFrom(context, project), ...filled, aside: files };
	await share(context.git, workspace.path, from, effective.settings);
	if (context.given === undefined && (await exists(entry))) await writeMarker(markerIn(entry), noteOf(checkout));
	return !hadFiles && (await exists(files)) ? `What was in the place of a shared path is in ${files}.` : null;
}
