// Requests to the workspaces port, and its answers.
import type { AgentId, Handle, ProjectSlug } from "#contract/ids.ts";
import type { SharedConfig } from "#contract/project-config.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { CommandRun, MergeStrategy, Workspace, WorkspaceKind } from "#contract/workspace.ts";

/** A project's row: `path` is the root of a repository, or the bare clone in Brood's home. */
export interface ProjectRepository {
	slug: ProjectSlug;
	path: string;
	/** the branch that it was added with; `base` in the project's `config.yaml` or in `.brood.yaml` overrides it */
	base?: string | null;
	/** at a site: what its home node's file says, null if that is not known; absent at its home node */
	config?: SharedConfig | null;
}

/** Where base of a project's home node is, and a bundle of what the other node lacks; null if that is nothing. */
export interface HomeNodeCommits {
	commit: string;
	bundle: string | null;
}

export type AgentIdentity = { id: AgentId; handle: Handle };

/** An agent and its workspace, as git steps need them. */
export interface Checkout {
	project: ProjectRepository;
	agent: AgentIdentity;
	workspace: Workspace;
}

/** How a long step reports its output, gets its environment and is stopped. */
export interface StepControl {
	/** each line of output of the project's own commands, as it comes */
	line?(text: string): void;
	/** the environment of the agent's process, for the project's own commands */
	environment?: Readonly<Record<string, string>>;
	signal?: AbortSignal;
	/** approved fingerprints of repository configuration */
	approved?: readonly string[];
	/**
	 * called with the branch's commit, and awaited, right before the irreversible step; `begun` is what it got before a
	 * crash
	 */
	begin?(at: { head: string | null }): Promise<void>;
	begun?: { head: string | null };
	/** whether an agent ended before it had its workspace; its name may have been given to another agent since */
	isUnused?(agent: string): Promise<boolean>;
}

export interface OpenRequest {
	slug: ProjectSlug;
	/** a path or a URL */
	source: string;
	base?: string;
	/** projects that there are already: one repository is one project */
	others?: readonly ProjectRepository[];
}

export interface OpenedProject {
	path: string;
	base: string;
	/** where it was cloned from; null for a local one */
	url: string | null;
}

export interface ProvisionRequest {
	project: ProjectRepository;
	agent: AgentIdentity;
	kind: WorkspaceKind;
	/** a branch of the project; if absent the project's base, and for a fork its parent's */
	from?: string;
}

/** The parent's tree as it is, or as a snapshot of it was. */
export interface ForkRequest extends ProvisionRequest {
	parent: Checkout;
	/** the files are made of this snapshot of the parent; else its tree is copied */
	snapshot?: string;
	/** the parent's snapshot with the files of the fork, also if its tree is copied */
	forkedAt?: string;
}

export interface Provisioned {
	workspace: Workspace;
	head: string | null;
	/** what was linked, copied or skipped, and why; never a reason to fail */
	shared: { path: string; done: "linked" | "copied" | "omitted"; reason: string | null }[];
	setup: CommandRun | null;
	/** everything was there already */
	found: boolean;
	/** a fork only: what was not copied, and why */
	missing: { path: string; reason: string }[];
	/** notes to the agent about what differs from what it would expect */
	notes: string[];
}

/** `since`: the commit of an earlier bundle, whose objects are left out. */
export interface BundleRequest {
	snapshot: string;
	since: string | null;
	bytesMax: number;
}

/** An agent's workspace at another node, made again from its bundles, oldest first. */
export interface MovedRequest {
	project: ProjectRepository;
	agent: AgentIdentity;
	/** as it was there */
	workspace: Workspace;
	bundles: readonly string[];
	snapshot: string;
}

/** `have`: commits that the node which asks has; `bundle`: whether it wants what they lack. */
export interface HomeNodeBaseRequest {
	base: string;
	have: readonly string[];
	bundle: boolean;
	bytesMax: number;
}

/** How a site's base stands to the home node's, after it has followed as far as it can. */
export interface FollowedBase {
	/** commits that neither the home node's base nor origin has */
	ahead: number;
	/** why it could not follow; null if it did, or is ahead */
	notFollowed: Refusal | null;
}

export interface CommitRequest {
	message: string;
	/** paths inside the tree; all files that are not ignored if absent */
	paths?: readonly string[];
	turn?: number;
	stage?: string;
}

/** `names`: without the patch; `path`: of one file, without a limit; `from`: the files from this one on */
export type DiffExtent = "patch" | "names" | { path: string } | { from?: string; bytesMax?: number };

/** `base` is measured from where the branch left it. */
export type DiffTarget = { what?: DiffExtent } & (
	| { kind: "base" }
	| { kind: "index" }
	| { kind: "agent"; checkout: Checkout }
);

/** What a merge of a commit into base would meet; with `check` the project's check is run on the result. */
export interface PreviewRequest extends StepControl {
	base: string;
	commit: string;
	check: boolean;
	approved: readonly string[];
}

/** The commits from base to this one. */
export interface CommitRange {
	base: string;
	commit: string;
	/** the commit was merged, and recorded as the work of this agent */
	mergedFor?: AgentId;
	what?: DiffExtent;
}

export interface CommitsAhead {
	/** commits that base lacks */
	total: number;
	/** the whole messages of the newest of them, oldest first, without merges */
	messages: readonly string[];
	/** where git pushes to, with whatever credentials are in the address; null if there is no such remote */
	origin: string | null;
	upstream: string | null;
}

export interface ApproveRequest extends StepControl {
	/** the commit that was reviewed */
	commit: string;
	/** the project's setting if absent */
	strategy?: MergeStrategy;
	/** the message of the merge or squash commit; composed from the issue and the commits if absent */
	message?: string;
	/** the issue that the work was done for: its title, and its name with the project */
	issue?: { title: string; name: string };
	/** the commit comes from another node, in these bundles; that node has looked at the agent's tree */
	bundles?: readonly string[];
}

export interface RemoveRequest extends StepControl {
	/** skips the checks, never the snapshot */
	force?: boolean;
	/** delete the branch too */
	deleteBranch?: boolean;
	/** commits of the branch that were merged in another form */
	merged?: readonly string[];
}

export interface Removed {
	/** where the folder is in the trash; null if there was none */
	trash: string | null;
	snapshot: string | null;
	branchRemoved: boolean;
	teardown: CommandRun | null;
}

export interface GcRequest extends Pick<StepControl, "signal"> {
	dryRun: boolean;
	/** agents whose workspace exists */
	withFolder: readonly AgentIdentity[];
	/**
	 * Which of these are deleted agents of this home, none if absent. One that is neither of them nor has a folder
	 * belongs to another home and is left alone.
	 */
	goneOf?(owners: readonly string[]): Promise<readonly AgentId[]>;
	/** refs or commits of snapshots that workspaces are about to be made of */
	needed?: readonly string[];
	/** at most this many now, without their sizes; the rest later */
	atMost?: { folders: number; refs: number };
}

export interface SnapshotState {
	/** counted per agent, from 1 */
	id: string;
	commit: string;
	agent: AgentId;
	at: number;
	reason: string;
	turn: number | null;
	head: string | null;
	/** what it could not hold */
	missing: { path: string; reason: string }[];
	/** how many ignored files there were; they are never held */
	ignored: number;
}
