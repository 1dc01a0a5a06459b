// Disk usage.
import { z } from "zod";
import { ProjectSlug } from "./ids.ts";

const Bytes = z.int().nonnegative();

/** Of one project. Objects and refs are in its repository, the rest is in the home. */
export const ProjectSpace = z.object({
	project: ProjectSlug,
	path: z.string(),
	/** everything below the repository's `objects` */
	objects: z.object({ bytes: Bytes, loose: z.int(), packs: z.int() }),
	/** refs made by Brood, and how many of them are not packed */
	refs: z.object({ brood: z.int(), loose: z.int() }),
	snapshots: z.int(),
	workspaces: z.object({ count: z.int(), bytes: Bytes }),
	/** `primary/`, trees for checks and rebases, and issue documents */
	other: Bytes,
	trash: z.object({ count: z.int(), bytes: Bytes }),
	/** workspaces that borrow objects from the repository */
	borrowers: z.int(),
});
export type ProjectSpace = z.infer<typeof ProjectSpace>;

/** Of the home as a whole, by what it is. */
export const HomeSpace = z.object({
	database: Bytes,
	writeAheadLog: Bytes,
	blobs: Bytes,
	daemonLog: Bytes,
	trash: Bytes,
	/** folders of agents without a workspace */
	agentFolders: Bytes,
	adapters: Bytes,
	projects: Bytes,
	/** Brood's temporary folders outside of the home, including those of ended processes */
	temporary: Bytes,
	total: Bytes,
});
export type HomeSpace = z.infer<typeof HomeSpace>;

export const Space = z.object({ home: HomeSpace, projects: z.array(ProjectSpace) });
export type Space = z.infer<typeof Space>;
