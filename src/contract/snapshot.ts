// The manifest of a snapshot of a working tree, with what the snapshot could not hold.
//
// It may come from inside a sandbox, and its names end up in command lines and paths: each schema is as strict as the
// name allows.
import { z } from "zod";
import { CommitId } from "./workspace.ts";

/** A file name is bytes; one that is not valid UTF-8 is in base64. */
export const FileName = z.union([z.string(), z.strictObject({ base64: z.string() })]);
export type FileName = z.infer<typeof FileName>;

const Count = z.int().min(0);
/** the range of `Date` */
const Moment = z.number().min(0).max(8.64e15);
const RefName = z
	.string()
	.max(1024)
	.regex(/^refs\/(?!.*(?:\.\.|\/\/|@\{))[^\p{Cc} ~^:?*[\\]+$/u, "a ref is named in full");

export const SnapshotManifest = z.strictObject({
	version: z.literal(1),
	/** milliseconds since 1970 */
	at: Moment,
	reason: z.string().max(10_000),
	turn: z.int().nullable(),
	head: z.strictObject({
		/** the full name of the branch, null when detached */
		branch: RefName.nullable(),
		/** null on a branch without a commit */
		commit: CommitId.nullable(),
	}),
	/** the id of the tree of files, also when it is empty */
	tree: CommitId,
	files: Count,
	bytes: Count,
	emptyDirectories: z.array(FileName),
	/** what is in the tree but not in the snapshot */
	missing: z.strictObject({
		nestedRepositories: z.array(FileName),
		submodules: z.array(
			z.strictObject({
				path: FileName,
				state: z.enum(["absent", "empty", "repository"]),
				commit: CommitId.nullable(),
				dirty: z.boolean(),
			}),
		),
		tooLarge: z.array(FileName),
		special: z.array(FileName),
		unreadable: z.array(FileName),
		/** paths that are too long for the system, abbreviated */
		tooLong: z.array(FileName).optional(),
		/** names that git cannot hold */
		names: z.array(FileName),
		/** the first of them, names only: secrets are often among ignored files */
		ignored: z.array(FileName),
		ignoredCount: Count,
	}),
	/** files kept changing while it was taken; stored snapshots have this name */
	unsteady: z.boolean(),
});
export type SnapshotManifest = z.infer<typeof SnapshotManifest>;
