// The settings of a project: the project's config.yaml (in the home, below `projects/`), then the repository's
// .brood.yaml, then defaults. The repository's file is read from base, never from a tree that an agent can write.
import { createHash } from "node:crypto";
import { ConfigError, parseConfig, readSettings } from "#adapters/system/config.ts";
import { executesPrompt } from "#contract/agent-type.ts";
import { variableName } from "#contract/environment.ts";
import { Preset } from "#contract/preset.ts";
import type { EffectiveSettings } from "#contract/project-config.ts";
import {
	configAtSite,
	mergeSettings,
	ProjectConfig,
	RepositoryConfig,
	runnable,
	settingsUnknown,
} from "#contract/project-config.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { homeBaseRef } from "../format/refs.ts";
import type { Layout } from "../layout/layout.ts";
import type { Git } from "../run/git.ts";
import { commitOf, headOf } from "../run/user-input.ts";
import type { GitContext } from "./git-context.ts";

const repositoryFile = ".brood.yaml";
const configBytesMax = 256 * 1024;

export async function projectSettings(
	{ git, layout, given }: Pick<GitContext, "git" | "layout" | "given">,
	project: ProjectRepository,
	approved: readonly string[] = [],
): Promise<EffectiveSettings | Refusal> {
	if (given !== undefined) return { settings: given.settings, fingerprint: null, unapprovedConfig: null };
	return await orRefusal(async () => {
		const own = await readProjectConfig(layout, project);
		if (isRefusal(own)) return own;
		const base = own.base ?? project.base ?? (await defaultBranch(git, project.path));
		const repository = await repositoryConfig(git, project, base);
		if (isRefusal(repository)) return repository;
		return effectiveSettings(own, repository, base, approved);
	});
}

/** The project's configuration alone. */
export async function projectConfig(layout: Layout, project: ConfiguredProject): Promise<ProjectConfig | Refusal> {
	return await orRefusal(async () => await readProjectConfig(layout, project));
}

type ConfiguredProject = Pick<ProjectRepository, "slug" | "config">;

/** At a site the home node's settings count, and none is looser than there. */
async function readProjectConfig(
	layout: Layout,
	{ slug, config: home }: ConfiguredProject,
): Promise<ProjectConfig | Refusal> {
	if (home === null) return settingsUnknown(slug);
	const own = await readSettings(ProjectConfig, layout.config(slug));
	return home === undefined ? own : configAtSite(own, home);
}

/** The error names the file and what is wrong in it. */
async function orRefusal<T>(read: () => Promise<T>): Promise<T | Refusal> {
	try {
		return await read();
	} catch (error) {
		if (error instanceof ConfigError) return refuse("VALIDATION_ERROR", error.message);
		throw error;
	}
}

function effectiveSettings(
	own: ProjectConfig,
	repository: RepositoryConfig,
	base: string,
	approved: readonly string[],
): EffectiveSettings {
	const wants = runnable(repository);
	const fingerprint = Object.keys(wants).length === 0 ? null : fingerprintOf(wants);
	const agreed = fingerprint === null || approved.includes(fingerprint);
	const { setup = null, check = null, teardown = null, env = [], presets = {}, ...harmless } = repository;
	const settings = mergeSettings(own, agreed ? repository : harmless, base);
	// settings that the project's configuration replaces need not be approved
	const more = Object.keys(presets).filter((name) => !Object.hasOwn(own.presets ?? {}, name));
	const set = new Set(own.env?.map(variableName));
	const merged: Readonly<Record<string, boolean>> = {
		presets: more.length > 0,
		env: env.some((entry) => !set.has(variableName(entry))),
	};
	const open = Object.keys(wants).some((key) => merged[key] ?? !Object.hasOwn(own, key));
	const presetActions = more.flatMap((name) => presetActionsOf(name, presets[name]));
	const unapprovedConfig =
		!agreed && open ? { fingerprint, setup, check, teardown, env, presets: more, presetActions } : null;
	return { settings, fingerprint, unapprovedConfig };
}

/**
 * What a preset would run: commands of gates, and prompts for agents that execute them. An invalid one runs nothing.
 */
function presetActionsOf(name: string, written: unknown): string[] {
	const preset = Preset.safeParse(written).data;
	return (preset?.stages ?? []).flatMap(
		({ name: stage, gate, prompt, agent = preset?.agent, fallbacks = preset?.fallbacks ?? [] }) => {
			const types = [agent, ...fallbacks].flatMap((request) =>
				request?.type !== undefined && executesPrompt(request.type) ? request.type : [],
			);
			const policies = [agent, ...fallbacks].flatMap((request) => request?.policy ?? []);
			return [
				...policies.map((policy) => `${name} ${stage}: agents with the policy ${policy}`),
				...(gate === undefined || gate === "human" ? [] : [`${name} ${stage}: ${gate.command}`]),
				...(prompt === undefined || types.length === 0
					? []
					: [`${name} ${stage}, executed by ${types.join(" or ")}: ${prompt}`]),
			];
		},
	);
}

/** Does not depend on the order of keys or on comments. */
function fingerprintOf(config: RepositoryConfig): string {
	return createHash("sha256")
		.update(JSON.stringify(sorted(config)))
		.digest("hex");
}

function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([key, inner]) => [key, sorted(inner)]),
	);
}

/** By commit. Every command about an issue needs it. */
const cache = new Map<string, RepositoryConfig>();
const cacheMax = 100;

async function repositoryConfig(
	git: Git,
	project: ProjectRepository,
	base: string,
): Promise<RepositoryConfig | Refusal> {
	// at a site that of its home node, as far as it was fetched
	const home = project.config === undefined ? null : await commitOf(git, project.path, homeBaseRef(base));
	const commit = home ?? (await commitOf(git, project.path, `refs/heads/${base}`));
	if (commit === null) return {};
	const known = cache.get(commit);
	if (known !== undefined) return known;
	const read = await orRefusal(async () => await configIn(git, project, commit));
	if (isRefusal(read))
		return { ...read, message: `${read.message.replace(/\.?$/, ".")} Correct it on ${base} and commit it.` };
	cache.set(commit, read);
	for (const oldest of cache.keys()) if (cache.size > cacheMax) cache.delete(oldest);
	return read;
}

async function configIn(
	git: Git,
	{ path: repository }: ProjectRepository,
	commit: string,
): Promise<RepositoryConfig | Refusal> {
	const { text: entry } = await git(repository, ["ls-tree", "--long", "-z", commit, "--", repositoryFile]);
	const [, kind, object, size] = /^(\d+) blob ([0-9a-f]+) +(\d+)\t/.exec(entry) ?? [];
	if (object === undefined || kind === "120000") return {};
	if (Number(size) > configBytesMax)
		return refuse("VALIDATION_ERROR", `${repositoryFile}:1:1: it is larger than ${configBytesMax} bytes`);
	return parseConfig(RepositoryConfig, (await git(repository, ["cat-file", "blob", object])).text, repositoryFile);
}

/** The default branch of origin, else the branch of HEAD. */
export async function defaultBranch(git: Git, repository: string): Promise<string> {
	const [upstream, head] = await Promise.all([
		git(repository, ["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"], { answers: [1, 128] }),
		headOf(git, repository),
	]);
	const name = upstream.text.replace(/^refs\/remotes\/origin\//, "");
	if (upstream.exit === 0 && (await commitOf(git, repository, `refs/heads/${name}`)) !== null) return name;
	return head?.replace(/^refs\/heads\//, "") ?? "main";
}
