// Prints what happened in workspaces.

import { counted } from "#contract/counted.ts";
import type { Node } from "#contract/node-wire.ts";
import { notPushed, remoteText } from "#contract/remote-text.ts";
import { indented, inline } from "#contract/visible.ts";
import type { Leftover, Snapshot, Synced } from "#contract/wire.ts";
import type { Committed, Diff, Health, Merged, RemoteStatus } from "#contract/workspace.ts";
import { size, table } from "./print.ts";

export function diffText({ files, total, patch, omitted }: Diff, stat: boolean): string {
	const not = omitted.map(({ path, reason }) => `not shown: ${inline(path)} (${inline(reason)})`).join("\n");
	if (files.length === 0) return not || "nothing differs";
	if (!stat) return `${patch}${not}`;
	const rows = files.map(({ path, from, added, deleted }) => [
		`+${added ?? "-"}`,
		`-${deleted ?? "-"}`,
		from === null ? path : `${from} → ${path}`,
	]);
	const more = total.files - files.length;
	const rest = more > 0 ? `\nand ${counted(more, "more file")}` : "";
	return `${table(["ADDED", "DELETED", "FILE"], rows)}${rest}${not === "" ? "" : `\n${not}`}`;
}

export function commitText({ commit, branch, files, omitted }: Committed): string {
	const took = files.map(({ status, path }) => `  ${status} ${inline(path)}`);
	const not = omitted.map(({ path, reason }) => `  left out: ${inline(path)} (${inline(reason)})`);
	return [`${commit.slice(0, 10)} on ${branch}, ${counted(files.length, "file")}`, ...took, ...not].join("\n");
}

export function healthText(health: Health, nodes: readonly Pick<Node, "id" | "name">[] = []): string {
	const { healthy, issues: problems, notUploaded, withoutCredentials, former = [] } = health;
	const name = (node: string): string => nodes.find(({ id }) => id === node)?.name ?? node;
	const notes = [
		...(withoutCredentials === undefined
			? []
			: [`its node has no credentials of ${withoutCredentials.join(", ")}, so no turn starts`]),
		...(notUploaded === undefined
			? []
			: [
					`not movable${notUploaded.since === null ? "" : ` since ${notUploaded.since}`}: ${inline(notUploaded.reason)}`,
				]),
		...former.map(({ node, trash }) =>
			trash === null
				? `its files before it was moved are still at node ${name(node)}`
				: `its files before it was moved are at node ${name(node)}: ${inline(trash) || "there were none"}`,
		),
	];
	return [healthy ? "healthy" : problemsText(problems), ...notes].join("\n");
}

function problemsText(problems: Health["issues"]): string {
	return problems.map(({ code, text, fix }) => `${code}: ${indented(text, "  | ")}\n  try: ${inline(fix)}`).join("\n");
}

export function approveText({ merged, synced }: { merged: Merged; synced: Synced[] }): string {
	const { reviewed, commit, strategy, base, alreadyMerged } = merged;
	const first = alreadyMerged
		? `${reviewed.slice(0, 10)} had been merged before`
		: `${reviewed.slice(0, 10)} is in ${base} as ${commit.slice(0, 10)} (${strategy})`;
	const { push } = merged;
	const pushed =
		push === null ? [] : [push.pushed ? `  pushed to ${push.remote}` : `  not pushed: ${inline(notPushed(push))}`];
	return [
		first,
		...pushed,
		...originLines(merged.origin).map((line) => `  ${line}`),
		...synced.map(({ handle, text }) => `  ${handle}: ${inline(text)}`),
	].join("\n");
}

/** What is worth saying about the remote. */
export const originLines = (origin: RemoteStatus | null | undefined): string[] =>
	origin == null ? [] : [`${origin.remote}: ${inline(remoteText(origin))}`];

export function snapshotTable(snapshots: readonly Snapshot[]): string {
	const filesText = ({ missing }: Snapshot): string =>
		missing.length === 0 ? "all" : `all but ${missing.length}: ${missing.map(({ path }) => path).join(", ")}`;
	const rows = snapshots.map((each) => [
		each.id,
		each.at,
		each.turn === null ? "-" : String(each.turn),
		each.reason,
		filesText(each),
	]);
	return table(["SNAPSHOT", "TAKEN", "TURN", "WHY", "FILES"], rows) || "no snapshots yet";
}

export function leftoverTable(leftovers: readonly Leftover[], dryRun: boolean): string {
	const rows = leftovers.map(({ what, name, bytes, reason, freed }) => [
		what,
		size(bytes),
		freed ? (dryRun ? "would free" : "freed") : "kept",
		name,
		reason,
	]);
	return table(["WHAT", "SIZE", "", "NAME", "WHY"], rows) || "nothing to free";
}
