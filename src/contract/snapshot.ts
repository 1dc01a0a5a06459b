// What a snapshot of a working tree says about itself, and about what it could not hold.
//
// A snapshot may come out of a sandbox, made by whoever is inside: each of these ends up in a command line or a path,
// so nothing is taken that is not exactly the kind of name that it should be.
import { z } from "zod";
import { CommitId } from "./workspace.ts";

/** A file name is bytes. One that is no text is told in base64. */
export const FileName = z.union([z.string(), z.strictObject({ base64: z.string() })]);
export type FileName = z.infer<typeof FileName>;

const Count = z.int().min(0);
/** later than this is no date */
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
	/** what is there and not in the snapshot */
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
		/** paths that are longer than the system takes, abbreviated */
		tooLong: z.array(FileName).optional(),
		/** names that git cannot hold */
		names: z.array(FileName),
		/** the first of them; secrets are often among these, so only names are kept */
		ignored: z.array(FileName),
		ignoredCount: Count,
	}),
	/** files went on changing while it was taken */
	unsteady: z.boolean(),
});
export type SnapshotManifest = z.infer<typeof SnapshotManifest>;
