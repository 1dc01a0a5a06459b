// A pull request (a merge request on GitLab) before it is opened: what is pushed, where to, and what it says.
import { z } from "zod";
import { Handle } from "./ids.ts";
import { CommitId, Diff } from "./workspace.ts";

export const forges = ["github", "gitlab", "gitea", "bitbucket"] as const;
export type Forge = (typeof forges)[number];

export const PullRequest = z.strictObject({
	branch: z.string(),
	/** the branch that it asks to be merged into */
	base: z.string(),
	commit: CommitId,
	/** commits that base lacks */
	commits: z.int(),
	title: z.string(),
	body: z.string(),
	remote: z.string(),
	/** the server of the remote; null if the remote is a folder */
	host: z.string().nullable(),
	/** owner and name on that server, like `acme/web` */
	repository: z.string().nullable(),
	/** the repository that it is opened in: `upstream` if there is such a remote on the same server */
	target: z.string().nullable(),
	/** the kind of server, as far as its name tells */
	forge: z.enum(forges).nullable(),
	/** the page on which a person opens it */
	link: z.string().nullable(),
	/** false with `dryRun` */
	pushed: z.boolean(),
});
export type PullRequest = z.infer<typeof PullRequest>;

export const PullRequestBody = z.strictObject({
	/** the commit that was reviewed; the newest of the branch if absent */
	commit: CommitId.optional(),
	title: z.string().min(1).max(500).optional(),
	body: z.string().max(100_000).optional(),
	/** only says what would be pushed, and where to */
	dryRun: z.boolean().default(false),
});
export type PullRequestBody = z.infer<typeof PullRequestBody>;

export const IssueDiff = z.strictObject({
	...Diff.shape,
	/** null before work has started */
	branch: z.string().nullable(),
	/** null if there is none yet */
	commit: CommitId.nullable(),
	/** the agent whose uncommitted changes are not part of the diff */
	uncommittedByHandle: Handle.nullable(),
});
export type IssueDiff = z.infer<typeof IssueDiff>;
