// Disk usage as text.
import { counted } from "#contract/counted.ts";
import type { Space } from "#contract/space.ts";
import { size, table } from "./print.ts";

export function spaceText({ home, projects }: Space): string {
	const rows: [string, number, string][] = [
		["database", home.database, "brood.db: the journal and the rows; never shrinks"],
		["write-ahead log", home.writeAheadLog, "brood.db-wal: cut when the store is idle"],
		["blobs", home.blobs, "texts too long for a row; kept as long as the journal"],
		["daemon log", home.daemonLog, "daemon.log"],
		["trash", home.trash, "removed workspaces; deleted after their time"],
		["agent-folders", home.agentFolders, "folders of agents without a workspace"],
		["adapters", home.adapters, "the installed adapters for vendors' agents"],
		["projects", home.projects, "workspaces, bare clones and issue documents; by project below"],
		["whole home", home.total, ""],
		["temporary", home.temporary, "outside of the home, in the system's temporary folder"],
	];
	const parts = projects.map(({ project, path, objects, refs, snapshots, workspaces, other, trash, borrowers }) =>
		[
			`${project}  ${path}`,
			table(
				["WHAT", "SIZE", ""],
				[
					["objects", size(objects.bytes), `${objects.loose} loose, ${counted(objects.packs, "pack")}`],
					["refs of Brood", String(refs.brood), `${snapshots} of snapshots; ${refs.loose} not packed`],
					["workspaces", size(workspaces.bytes), String(workspaces.count)],
					["trash", size(trash.bytes), String(trash.count)],
					["other", size(other), "primary, trees for checks, issue documents"],
					...(borrowers === 0
						? []
						: [["borrowers", String(borrowers), "workspaces that use this repository's objects"]]),
				],
			),
			`  see what would be freed: brood project gc ${project} --dry-run`,
		].join("\n"),
	);
	const heading = table(
		["HOME", "SIZE", ""],
		rows.map(([name, bytes, words]) => [name, size(bytes), words]),
	);
	return [heading, ...parts].join("\n\n");
}
