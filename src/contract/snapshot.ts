// What a snapshot of a working tree says about itself, and about what it could not hold.
import { z } from "zod";

/** A file name is bytes. One that is no text is told in base64. */
export const FileName = z.union([z.string(), z.strictObject({ base64: z.string() })]);
export type FileName = z.infer<typeof FileName>;

export const SnapshotManifest = z.strictObject({
	version: z.literal(1),
	/** milliseconds since 1970 */
	at: z.number(),
	reason: z.string(),
	turn: z.number().nullable(),
	head: z.strictObject({
		/** the full name of the branch, null when detached */
		branch: z.string().nullable(),
		/** null on a branch without a commit */
		commit: z.string().nullable(),
	}),
	/** the id of the tree of files, also when it is empty */
	tree: z.string(),
	files: z.number(),
	bytes: z.number(),
	emptyDirectories: z.array(FileName),
	/** what is there and not in the snapshot */
	missing: z.strictObject({
		nestedRepositories: z.array(FileName),
		submodules: z.array(
			z.strictObject({ path: FileName, state: z.enum(["absent", "empty", "repository"]), commit: z.string().nullable(), dirty: z.boolean() }),
		),
		tooLarge: z.array(FileName),
		special: z.array(FileName),
		unreadable: z.array(FileName),
		/** names that git cannot hold */
		names: z.array(FileName),
		/** the first of them; secrets are often among these, so only names are kept */
		ignored: z.array(FileName),
		ignoredCount: z.number(),
	}),
	/** files went on changing while it was taken */
	unsteady: z.boolean(),
});
export type SnapshotManifest = z.infer<typeof SnapshotManifest>;
