// What the work cycle needs of snapshots, and of the one file that may destroy.
import type { Refusal } from "#contract/refusal.ts";
import type { Diff, WorkspaceMark } from "#contract/workspace.ts";
import type { ForkWish, Leftover, ProjectPlace, Provisioned, Snapshot, Stay, Tenant } from "#engine/workspaces.ts";

export interface Keep {
	/** Null if the tree is as the last snapshot has it. */
	take(stay: Stay, reason: string): Promise<Snapshot | null>;
	list(stay: Stay): Promise<Snapshot[]>;
	show(stay: Stay, id: string): Promise<Diff | Refusal>;
	/** Takes one first. */
	restore(stay: Stay, id: string): Promise<{ snapshot: string | null } | Refusal>;
	prune(project: ProjectPlace, options: { dryRun: boolean; living: readonly Tenant[] }): Promise<Leftover[]>;
	/** A snapshot, then the tree as HEAD has it, ignored files left alone. Refuses where the snapshot could not hold something that would go. */
	clean(stay: Stay): Promise<{ snapshot: string | null } | Refusal>;
	/** A snapshot, then the folder into the trash and the worktree off the repository's list. */
	bin(stay: Stay): Promise<{ snapshot: string | null; trash: string | null }>;
	/** The parent's HEAD, for the worktree that will be filled. */
	headOf(wish: ForkWish): Promise<{ head: string | null } | Refusal>;
	/** Fills an empty worktree with the parent's tree and index. */
	fill(wish: ForkWish, mark: WorkspaceMark): Promise<Provisioned["missing"] | Refusal>;
}

export function makeKeep(_: unknown): Keep {
	const later = async (): Promise<never> => await Promise.reject(new Error("snapshots are not there yet"));
	return { take: async () => null, list: later, show: later, restore: later, prune: async () => [], clean: later, bin: later, headOf: later, fill: later };
}
