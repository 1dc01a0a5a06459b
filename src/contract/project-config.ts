// A project's settings: the home's `projects/<slug>/config.yaml`, which is the person's, and below it `.brood.yaml` in
// the repository, which cannot loosen the sandbox or push, and whose commands a person has to approve.
import { z } from "zod";
import { EnvList, mergedEnv, RepositoryEnvList } from "./environment.ts";
import { IssuesConfig } from "./issues-config.ts";
import { type Refusal, refuse } from "./refusal.ts";
import { type HealthProblem, integrations, mergeStrategies } from "./workspace.ts";

/** A branch as people name it. */
export const BranchName = z
	.string()
	.regex(
		/^(?![-/.])(?!refs\/|HEAD$|@$)(?!.*(?:\.\.|@\{|\/\/|\.lock(?:\/|$)))[^\p{Cc}\s~^:?*[\\]{1,200}$/u,
		"a branch is named as git names it, without refs/heads/",
	);

/** A path inside the tree, without patterns: it means the same place on disk, to git and in an exclude file. */
const InsidePath = z
	.string()
	.regex(/^(?![/~-])[^\p{Cc}\\*?[\]!#]{1,500}$/u, "a path inside the project, without patterns")
	.refine(
		(text) => text.split("/").every((part) => !["", ".", "..", ".git"].includes(part.toLowerCase())),
		"a path inside the project, without . or .. and not into .git",
	);

const CommandLine = z
	.string()
	.min(1)
	.max(10_000)
	.regex(/^[^\0]*$/, "a command cannot contain a NUL");

/** What a repository may say about itself. */
export const RepositoryConfig = z.strictObject({
	base: BranchName.optional().describe("the branch that agents start from and that their work is merged into"),
	shared: z.array(InsidePath).max(100).optional().describe("folders that agents share, linked from `primary/`"),
	copy: z
		.array(InsidePath)
		.max(100)
		.optional()
		.describe("files that git ignores and that a new workspace gets a copy of"),
	setup: CommandLine.optional().describe("prepares a new workspace, and `primary/`"),
	setupForks: z
		.boolean()
		.optional()
		.describe("whether a fork runs the setup command as well; it does if nothing is said"),
	check: CommandLine.optional().describe("has to succeed on the result before anything is merged"),
	teardown: CommandLine.optional().describe(
		"runs before a workspace is removed; its failure does not keep the workspace",
	),
	env: RepositoryEnvList.optional().describe(
		"variables for agents and the commands above: NAME passes one on from the daemon, NAME=value sets one",
	),
	merge: z.enum(mergeStrategies).optional().describe("how work is merged unless somebody says otherwise"),
	presets: z.record(z.string(), z.unknown()).optional().describe("workflows by name; checked where issues are"),
});
export type RepositoryConfig = z.infer<typeof RepositoryConfig>;

/** The home's `projects/<slug>/config.yaml`. */
export const ProjectConfig = z.strictObject({
	...RepositoryConfig.shape,
	env: EnvList.optional().describe("variables for its agents and commands, as NAME or NAME=value"),
	sandbox: z.enum(["on", "off"]).optional().describe("run agents in a sandbox"),
	push: z
		.enum(["never", "settle", "approve"])
		.optional()
		.describe(
			"when Brood pushes by itself: never, the agent's branch after each turn, or base after work was approved",
		),
	integrate: z
		.enum(integrations)
		.optional()
		.describe("how base takes in what `origin` has before work is merged: by a merge, by a rebase, or never"),
	submodules: z
		.enum(["init", "leave"])
		.optional()
		.describe(
			"whether a new workspace gets its submodules (`git submodule update --init --recursive`); they are left empty if nothing is said",
		),
	fileBytesMax: z.int().positive().optional().describe("no commit takes a file that is larger"),
	snapshots: z
		.enum(["database", "local"])
		.optional()
		.describe("whether snapshots are kept in the database as well, so that agents can be moved to another node"),
	issues: IssuesConfig.optional().describe("how its issues are worked on"),
});
export type ProjectConfig = z.infer<typeof ProjectConfig>;

/**
 * What sites take from the home node's file. Variables are a machine's own, since their values may be secrets; presets
 * and issues are the home node's alone.
 */
export const SharedConfig = ProjectConfig.omit({ env: true, presets: true, issues: true });
export type SharedConfig = z.infer<typeof SharedConfig>;

export const sharedConfig = ({
	env: _env,
	presets: _presets,
	issues: _issues,
	...shared
}: ProjectConfig): SharedConfig => shared;

/** At a site: the home node's, with the variables of this machine, which may ask for a sandbox too. */
export const configAtSite = ({ env, sandbox }: ProjectConfig, home: SharedConfig): ProjectConfig => ({
	...home,
	...(env !== undefined && { env }),
	...(sandbox === "on" && { sandbox }),
});

/** At a site, until the home node's file was read once. */
export const settingsUnknown = (slug: string): Refusal =>
	refuse(
		"CONFLICT",
		`The settings of ${slug} are not known at this node: its home node has not read them since there are several nodes, and cannot be asked now.`,
		{ details: { project: slug }, suggestions: [`brood project show ${slug}`, "brood node list"] },
	);

/** The settings in which two files differ, as `name: value` of the second one. */
export function differentSettings(one: SharedConfig, other: SharedConfig): string[] {
	const [before, after] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
	return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
		const [was, is] = [JSON.stringify(before.get(name)), JSON.stringify(after.get(name))];
		return was === is ? [] : `${name}: ${is ?? "not set"}`;
	});
}

/** The settings that are in force. */
export const RepositorySettings = z.strictObject({
	base: z.string(),
	shared: z.array(z.string()),
	copy: z.array(z.string()),
	setup: z.string().nullable(),
	setupForks: z.boolean(),
	check: z.string().nullable(),
	teardown: z.string().nullable(),
	env: z.array(z.string()),
	merge: z.enum(mergeStrategies),
	presets: z.record(z.string(), z.unknown()),
	sandbox: z.enum(["on", "off"]),
	push: z.enum(["never", "settle", "approve"]),
	integrate: z.enum(integrations),
	submodules: z.enum(["init", "leave"]),
	fileBytesMax: z.int(),
	snapshots: z.enum(["database", "local"]),
});
export type RepositorySettings = z.infer<typeof RepositorySettings>;

/** What the repository wants to run and nobody has approved; the fingerprint covers exactly this content. */
export const UnapprovedConfig = z.strictObject({
	fingerprint: z.string(),
	setup: z.string().nullable(),
	check: z.string().nullable(),
	teardown: z.string().nullable(),
	/** variables that it wants to set or to be passed */
	env: z.array(z.string()).default([]),
	/** by name */
	presets: z.array(z.string()),
	/** what they would run or allow, after preset and stage: commands of gates, prompts that are executed, policies */
	presetActions: z.array(z.string()),
});
export type UnapprovedConfig = z.infer<typeof UnapprovedConfig>;

export interface EffectiveSettings {
	settings: RepositorySettings;
	/** of what the repository wants to run; null if nothing */
	fingerprint: string | null;
	/** set until that is approved; `settings` leaves it out until then */
	unapprovedConfig: UnapprovedConfig | null;
}

const defaults = {
	shared: [],
	copy: [],
	setup: null,
	setupForks: true,
	check: null,
	teardown: null,
	env: [],
	merge: "merge",
	presets: {},
	sandbox: "off",
	push: "never",
	integrate: "merge",
	submodules: "leave",
	fileBytesMax: 50 * 1024 * 1024,
	snapshots: "database",
} as const;

/** The home's settings before the repository's before the defaults; presets and variables are merged by name. */
export function mergeSettings(
	{ issues: _, ...own }: ProjectConfig,
	repository: RepositoryConfig,
	base: string,
): RepositorySettings {
	const presets = { ...repository.presets, ...own.presets };
	const env = mergedEnv(repository.env, own.env);
	return RepositorySettings.parse({ ...defaults, base, ...defined(repository), ...defined(own), presets, env });
}

function defined<T extends object>(config: T): Partial<T> {
	return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** The part of a repository's configuration that runs commands, or affects them, and has to be approved. */
export function runnable({ setup, check, teardown, env, presets }: RepositoryConfig): RepositoryConfig {
	return defined({ setup, check, teardown, env, presets });
}

/** `wrong` begins with the name of the file. */
export function configProblem(slug: string, wrong: string): HealthProblem {
	const file = /^(\S*\.yaml)(?=:)/.exec(wrong)?.[1] ?? "its config.yaml";
	return {
		code: "PROJECT_CONFIG",
		text: `${slug}: ${wrong}`,
		fix: `edit ${file}, then: brood project settings ${slug}`,
	};
}
