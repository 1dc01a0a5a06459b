// The project: a git repository under management.
import { z } from "zod";
import { Policy } from "./approval.ts";
import { command, event } from "./define.ts";
import { AgentType, ProjectSlug } from "./ids.ts";
import { IssuesConfig } from "./issues-config.ts";
import { NodeId } from "./node.ts";
import { LoadedPreset, PresetName } from "./preset.ts";
import { SharedConfig } from "./project-config.ts";
import { type Refusal, refuse } from "./refusal.ts";
import { Quiet } from "./subscription.ts";

/** How agents of this project work: on its issues, at usage limits and in quiet hours. */
const WorkSettings = z.strictObject({
	/** whether agents are assigned to ready issues automatically */
	auto: z.boolean(),
	/** maximum number of living agents, human ones not counted; no more are created for issues */
	agentsMax: z.int().positive().max(1000),
	/** whether an agent's context is cleared when it is released from an issue */
	context: z.enum(["clear", "keep"]),
	/** for issues that name none */
	preset: PresetName,
	/** the type of new agents that name none, also for issues whose preset names none */
	agentType: AgentType.nullable().default(null),
	/** the policy of the agents for its issues, where a preset names none; null for any */
	policy: Policy.nullable().default(null),
	/** at a usage limit: wait, use the fallback subscription, or stop until a person resumes */
	onLimit: z.enum(["wait", "fallback", "stop"]),
	/** when no new turns of its agents start */
	quiet: Quiet.nullable(),
	/** its own workflows by name */
	presets: z.record(PresetName, LoadedPreset),
	/** where the fields of `IssuesConfig` come from: `written` in a file ranks above `chosen` by a command */
	chosen: IssuesConfig.default({}),
	written: IssuesConfig.default({}),
	/** what its home node's file says, for its sites; absent until it was read where there are several nodes */
	homeConfig: SharedConfig.exactOptional(),
});
export type WorkSettings = z.infer<typeof WorkSettings>;
export const EffectiveIssuesConfig = WorkSettings.pick({
	preset: true,
	agentsMax: true,
	context: true,
	agentType: true,
	policy: true,
});
export const defaultWorkSettings: WorkSettings = {
	...{
		auto: false,
		agentsMax: 3,
		context: "clear",
		preset: "lean",
		agentType: null,
		policy: null,
		onLimit: "fallback",
		quiet: null,
		presets: {},
	},
	...{ chosen: {}, written: {} },
};

export const Site = z.strictObject({ node: NodeId, path: z.string() });
export type Site = z.infer<typeof Site>;

/**
 * The base at a project's home node: its commit, which of the caller's commits it knows, and a bundle of what these
 * lack; and a digest of the project's configuration in Brood's home, null if there is none.
 */
export const HomeNodeBase = z.strictObject({
	base: z.string(),
	configDigest: z.string().nullable(),
	commit: z.string().nullable(),
	known: z.array(z.string()),
	bundle: z.string().nullable(),
});
export type HomeNodeBase = z.infer<typeof HomeNodeBase>;

export const ProjectState = z.strictObject({
	slug: ProjectSlug,
	/** the root of the repository, or the bare clone in Brood's home */
	path: z.string(),
	/**
	 * its home node: where its repository, its settings and its issues' files are; null in a store that never had more
	 * than one node
	 */
	node: NodeId.nullable(),
	/** its repository at other nodes: for agents that were moved there */
	sites: z.array(Site).exactOptional(),
	/** the branch that it was added with; `base` of its settings overrides it; null in an engine without git */
	base: z.string().nullable(),
	/** where it was cloned from */
	url: z.string().nullable(),
	/** fingerprints of what its repository may run */
	approved: z.array(z.string()),
	addedAt: z.int(),
	removedAt: z.int().nullable(),
	...WorkSettings.shape,
});
export type ProjectState = z.infer<typeof ProjectState>;

export const ProjectAdd = command("project.add", {
	slug: ProjectSlug,
	path: z.string().regex(/^\/[^\0]{0,4095}$/, "a project's path is absolute"),
	base: z.string().max(200).nullable().default(null),
	url: z.string().max(4096).nullable().default(null),
});
export type ProjectAdd = z.infer<typeof ProjectAdd>;
export const ProjectRemove = command("project.remove", { slug: ProjectSlug });
export type ProjectRemove = z.infer<typeof ProjectRemove>;

/** Absent fields stay as they are; null restores the default. */
export const ProjectConfigure = command("project.configure", {
	slug: ProjectSlug,
	...WorkSettings.pick({ auto: true, quiet: true, presets: true }).partial().shape,
	...{ preset: PresetName.nullable().optional(), agentsMax: WorkSettings.shape.agentsMax.nullable().optional() },
	...{ context: WorkSettings.shape.context.nullable().optional(), agentType: AgentType.nullable().optional() },
	policy: Policy.nullable().optional(),
	onLimit: WorkSettings.shape.onLimit.nullable().optional(),
	/** the settings of the files, as a whole */
	written: IssuesConfig.optional(),
	homeConfig: SharedConfig.optional(),
});
export type ProjectConfigure = z.infer<typeof ProjectConfigure>;

/** A repository of the project at another node; adding it again changes its path. */
export const SiteAdd = command("site.add", { project: ProjectSlug, node: NodeId, path: ProjectAdd.shape.path });
export type SiteAdd = z.infer<typeof SiteAdd>;
/** To the node that is asked, which has a repository of it. */
export const ProjectMove = command("project.move", { slug: ProjectSlug, from: NodeId, path: ProjectAdd.shape.path });
export type ProjectMove = z.infer<typeof ProjectMove>;
export const SiteRemove = command("site.remove", { project: ProjectSlug, node: NodeId });
export type SiteRemove = z.infer<typeof SiteRemove>;

/**
 * What the repository's configuration wants to run is approved: by a person, or by the daemon after an allowed question
 * of the kind `trust`.
 */
export const ProjectApprove = command("project.approve", {
	slug: ProjectSlug,
	fingerprint: z.string().regex(/^[0-9a-f]{64}$/, "a fingerprint has 64 hexadecimal digits"),
});
export type ProjectApprove = z.infer<typeof ProjectApprove>;

/** A git command that changed something: what was run where, and how it ended. */
const GitRun = z.strictObject({
	folder: z.string().max(4096),
	args: z.array(z.string().max(2000)).max(64),
	/** null if it did not end by itself */
	exit: z.int().nullable(),
	durationMs: z.int(),
});
export type GitRun = z.infer<typeof GitRun>;
export const GitRecord = command("git.record", { runs: z.array(GitRun).min(1).max(100) });
export type GitRecord = z.infer<typeof GitRecord>;
export const projectCommands = [
	ProjectAdd,
	ProjectRemove,
	ProjectApprove,
	GitRecord,
	ProjectConfigure,
	SiteAdd,
	SiteRemove,
	ProjectMove,
] as const;

export const GitEvent = z.object({ kind: z.literal("git.ran"), data: GitRun });
export type GitEvent = z.infer<typeof GitEvent>;

export const ProjectEvent = z.discriminatedUnion("kind", [
	event("project.added", {
		slug: ProjectSlug,
		path: z.string(),
		base: z.string().nullable().default(null),
		url: z.string().nullable().default(null),
		node: NodeId.exactOptional(),
	}),
	event("project.approved", { slug: ProjectSlug, fingerprint: z.string() }),
	event("project.configured", { slug: ProjectSlug, settings: WorkSettings }),
	event("project.removed", { slug: ProjectSlug }),
	/** `from`: its former home node, a site from then on */
	event("project.moved", { slug: ProjectSlug, node: NodeId, path: z.string(), from: Site }),
	event("site.added", { project: ProjectSlug, node: NodeId, path: z.string() }),
	event("site.removed", { project: ProjectSlug, node: NodeId }),
]);
export type ProjectEvent = z.infer<typeof ProjectEvent>;

export const noProject = (name: string | undefined): Refusal =>
	refuse("NOT_FOUND", `There is no project ${JSON.stringify(name ?? "")}.`, { suggestions: ["brood project list"] });
