// Keeps a repository's own configuration from running programs.
//
// Before a command, the whole configuration is listed with the scope of each value; listing runs nothing. Each key that
// names a program, or weakens a guard, and is set by the repository itself is overridden with the user's or the
// system's value, or a neutral one, through GIT_CONFIG_COUNT, which git passes on to its helpers and submodules. What
// cannot be overridden is refused. Hooks, the file system monitor, external diffs and text conversions never run.
//
// Known limit: between the listing and the command an agent of the same user can change the file.
import path from "node:path";
import { Nested } from "./nested.ts";
import { alwaysSet, neutralFor } from "./neutral.ts";
import { choosesServers, type Remotes, remotesIn, type Setting, throughRemotes, verbAt } from "./remotes.ts";
import { type RepositoryPaths, repositoryPathsOf } from "./repository-paths.ts";

type Guarded = { args: readonly string[]; environment: Record<string, string> } | { refused: string };

interface GuardedConfig {
	overrides: readonly (readonly [string, string])[];
	environment: Record<string, string>;
	/** the repository's core.worktree */
	worktree: string | null;
	/** the repository configures programs for trailers */
	trailers: boolean;
	remotes: Remotes;
	refused: string | null;
}

const knownMax = 500;

export class ConfigGuard {
	readonly #plain: Record<string, string>;
	readonly #list: (folder: string, environment: Record<string, string>) => Promise<Buffer>;
	/** by the contents of all configuration files, so that no change is missed */
	readonly #known = new Map<string, GuardedConfig>();
	readonly #nested = new Nested();
	readonly #settings: readonly (readonly [string, string])[];

	constructor(
		plain: Record<string, string>,
		list: (folder: string, environment: Record<string, string>) => Promise<Buffer>,
		settings: readonly (readonly [string, string])[] = [],
	) {
		this.#plain = plain;
		this.#list = list;
		this.#settings = settings;
	}

	async guard(folder: string, args: readonly string[], asked: Readonly<Record<string, string>>): Promise<Guarded> {
		const above = path.dirname(path.resolve(folder));
		if (above.includes(path.delimiter))
			return { refused: `git cannot be kept inside a folder below ${JSON.stringify(above)}: its path has a colon` };
		const location = await repositoryPathsOf(folder, { ...this.#plain, ...asked });
		if (location.trap !== null) return { refused: location.trap };
		const where: Record<string, string> = {
			GIT_CEILING_DIRECTORIES: above,
			...(location.bare ? { GIT_DIR: path.resolve(folder) } : {}),
		};
		const guard = await this.#guardOf(folder, location, { ...this.#plain, ...where, ...asked });
		const inner = looksInside.includes(args[verbAt(args)] ?? "")
			? await this.#inside(folder, location, asked["GIT_INDEX_FILE"], 0).catch(() => null)
			: [];
		if (inner === null) return { refused: "the index cannot be read" };
		const wrong = refusal(guard, folder, location, args, asked);
		if (wrong !== null) return { refused: wrong };
		const across = throughRemotes(args, guard.remotes);
		if ("refused" in across) return across;
		return {
			args: withFlags(across.args),
			environment: {
				...where,
				...guard.environment,
				...asVariables([...inner, ...guard.overrides, ...this.#settings, ...across.overrides]),
			},
		};
	}

	/** Git enters nested repositories that the index lists, so their configuration is overridden too. */
	async #inside(
		folder: string,
		location: RepositoryPaths,
		index: string | undefined,
		depth: number,
	): Promise<readonly (readonly [string, string])[]> {
		if (location.gitFolder === null || depth > 3) return [];
		const found: (readonly [string, string])[] = [];
		for (const inner of await this.#nested.below(folder, index ?? path.join(location.gitFolder, "index"))) {
			const environment = { ...this.#plain, GIT_CEILING_DIRECTORIES: path.dirname(inner) };
			const innerPath = await repositoryPathsOf(inner, environment);
			const guard = await this.#guardOf(inner, innerPath, environment);
			found.push(...guard.overrides, ...(await this.#inside(inner, innerPath, undefined, depth + 1)));
		}
		return found;
	}

	async #guardOf(
		folder: string,
		location: RepositoryPaths,
		environment: Record<string, string>,
	): Promise<GuardedConfig> {
		const key = location.contents.join("\0");
		const known = this.#known.get(key);
		if (known !== undefined) return known;
		const settings = parse(await this.#list(folder, environment));
		const guard = guardAgainst(settings);
		// an included file can change without the file that includes it; and git does not list the configuration of another
		// user's repository, so its result must not be used for one that is listed
		const listed = location.gitFolder === null || settings.some(({ scope }) => scope === "local");
		const mayKeep = listed && !settings.some((setting) => /^include(if)?\./.test(setting.key));
		if (mayKeep) this.#known.set(key, guard);
		const oldest = this.#known.keys().next();
		if (this.#known.size > knownMax && oldest.done !== true) this.#known.delete(oldest.value);
		return guard;
	}
}

function parse(listed: Buffer): Setting[] {
	const parts = listed.toString().split("\0");
	const settings: Setting[] = [];
	for (let at = 0; at + 1 < parts.length; at += 2) {
		const [scope = "", entry = ""] = [parts[at], parts[at + 1]];
		const end = entry.indexOf("\n");
		settings.push({
			scope,
			key: end < 0 ? entry : entry.slice(0, end),
			value: end < 0 ? "true" : entry.slice(end + 1),
		});
	}
	return settings;
}

function guardAgainst(settings: readonly Setting[]): GuardedConfig {
	const local = settings.filter(({ scope }) => scope === "local" || scope === "worktree");
	const trusted = settings.filter(({ scope }) => scope === "system" || scope === "global");
	const overrides: [string, string][] = [];
	let refused: string | null = null;
	for (const key of new Set(local.map((setting) => setting.key))) {
		const neutral = neutralFor(key);
		const own = trusted.findLast((setting) => setting.key === key)?.value;
		if (choosesServers(key) && own !== undefined) overrides.push([key, own]);
		if (neutral === null) continue;
		if (key.includes("\uFFFD"))
			refused = `the repository's configuration sets ${key}, a name that cannot be overridden`;
		overrides.push([key, own ?? neutral]);
	}
	if (local.some(({ key }) => isHelper(key))) {
		// an empty helper resets the list
		overrides.push(
			["credential.helper", ""],
			...trusted.filter(({ key }) => isHelper(key)).map(({ key, value }): [string, string] => [key, value]),
		);
	}
	return {
		overrides: [...overrides, ...alwaysSet],
		// the first core.gitProxy wins, so only this variable overrides it
		environment: local.some(({ key }) => key === "core.gitproxy") ? { GIT_PROXY_COMMAND: "" } : {},
		worktree: local.findLast(({ key }) => key === "core.worktree")?.value ?? null,
		trailers: local.some(({ key }) => /^trailer\..*\.(cmd|command)$/.test(key)),
		remotes: remotesIn(settings, local),
		refused,
	};
}

const isHelper = (key: string): boolean => /^credential\.(.*\.)?helper$/.test(key);

function refusal(
	guard: GuardedConfig,
	folder: string,
	location: RepositoryPaths,
	args: readonly string[],
	asked: Readonly<Record<string, string>>,
): string | null {
	if (guard.refused !== null) return guard.refused;
	if (guard.worktree !== null && location.gitFolder !== null && asked["GIT_WORK_TREE"] === undefined) {
		const named = path.resolve(location.gitFolder, guard.worktree);
		if (named !== path.resolve(folder) && named !== location.realFolder)
			return `the repository says that its working tree is ${named}, not ${folder}`;
	}
	if (guard.trailers && (args.includes("interpret-trailers") || args.some((arg) => arg.startsWith("--trailer")))) {
		return "the repository's configuration brings programs for trailers";
	}
	return null;
}

const differs = [
	"diff",
	"diff-files",
	"diff-index",
	"diff-tree",
	"show",
	"log",
	"format-patch",
	"whatchanged",
	"range-diff",
];
const looksAtSubmodules = ["status", "diff", "diff-files", "diff-index"];

/** Verbs that check nested repositories for changes, and have no flag against it. */
const looksInside: readonly string[] = [
	"add",
	"commit",
	"merge",
	"rebase",
	"cherry-pick",
	"revert",
	"rm",
	"mv",
	"checkout",
	"switch",
	"reset",
	"read-tree",
	"am",
	"pull",
	"worktree",
	"restore",
	"submodule",
	"describe",
	"stash",
];

/** Configuration cannot disable external diffs, and checking a submodule would run what its configuration names. */
function withFlags(args: readonly string[]): readonly string[] {
	const at = verbAt(args);
	const verb = args[at] ?? "";
	const flags = [
		...(differs.includes(verb) ? ["--no-ext-diff", "--no-textconv"] : []),
		...(verb === "blame" ? ["--no-textconv"] : []),
		...(looksAtSubmodules.includes(verb) && !args.some((arg) => arg.startsWith("--ignore-submodules"))
			? ["--ignore-submodules=dirty"]
			: []),
	];
	return [...args.slice(0, at + 1), ...flags, ...args.slice(at + 1)];
}

function asVariables(settings: readonly (readonly [string, string])[]): Record<string, string> {
	const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
	for (const [at, [key, value]] of settings.entries()) {
		variables[`GIT_CONFIG_KEY_${at}`] = key;
		variables[`GIT_CONFIG_VALUE_${at}`] = value;
	}
	return variables;
}
