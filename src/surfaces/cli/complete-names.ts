// The names that completion offers. It asks a running daemon and never starts one.
import type { ProjectSlug } from "#contract/ids.ts";
import { isProjectSlug } from "#contract/project-slug.ts";
import { type Connected, connect, givenAddress, running } from "./connect.ts";
import { projectHere } from "./project-here.ts";

interface NameQuery {
	verb: string;
	/** the value of `--project` */
	project: string | undefined;
	/** the beginning of the word that is completed */
	word: string;
	/** the arguments before it */
	given: readonly string[];
}

type Find = (found: Connected, wanted: NameQuery & { here: ProjectSlug | undefined }) => Promise<string[]>;

/** By the name of the argument or the option; null for one that is no name. */
export async function namesFor(noun: string, wanted: NameQuery): Promise<string[] | null> {
	const find = finders[noun];
	if (find === undefined) return null;
	const found = await (givenAddress() === null ? running() : connect()).catch(() => null);
	if (found === null) return [];
	try {
		const here = isProjectSlug(wanted.project ?? "") ? wanted.project : await projectHere(found);
		return await find(found, { ...wanted, here: here !== undefined && isProjectSlug(here) ? here : undefined });
	} catch {
		return [];
	}
}

/** Verbs that need an agent that has not ended. */
const forLiving = [
	"pause",
	"resume",
	"interrupt",
	"kill",
	"prompt",
	"add",
	"send",
	"wait",
	"approve",
	"sync",
	"assign",
];

/** Verbs that agent 0 is protected from. */
const notForAgentZero = ["kill", "delete", "reap"];

/** Short names of the directory's project, then those of other projects. */
const agents: Find = async ({ client }, { here, verb, word }) => {
	const all = (await client.call("agents", { query: {} })).filter(
		({ life, supervisor }) =>
			(life !== "ended" || !forLiving.includes(verb)) && (supervisor !== null || !notForAgentZero.includes(verb)),
	);
	const isNear = ({ project }: { project: string | null }): boolean => project === null || project === (here ?? null);
	const near = all.filter(isNear).toSorted((a, b) => Number(a.project === null) - Number(b.project === null));
	const far = all.filter((agent) => !isNear(agent) || word.includes("/"));
	return [
		...near.map(({ handle }) => handle),
		...far.flatMap(({ project, handle }) => (project === null ? [] : `${project}/${handle}`)),
	];
};

/** Numbers in the directory's project, whole names elsewhere; finished issues last. */
const issues: Find = async ({ client }, { here, word }) => {
	const isShort = here !== undefined && !word.includes("#");
	const all = await client.call("issues", { query: isShort ? { project: here } : {} });
	return all
		.toSorted((a, b) => Number(a.doneAt !== null) - Number(b.doneAt !== null))
		.map(({ project, number }) => (isShort ? String(number) : `${project}#${number}`));
};

const projects: Find = async ({ client }) => (await client.call("projects")).map(({ slug }) => slug);

const presetsHere = async ({ client }: Connected, here: ProjectSlug | undefined) =>
	here === undefined ? [] : await client.call("presets", { params: { project: here } });

/** Of the issue that is named before it, else of all presets. */
const stages: Find = async (found, { here, verb, given: [named] }) => {
	const query = here === undefined ? {} : { project: here };
	const issue = named === undefined ? null : await found.client.call("issue", { params: { issue: named }, query });
	if (issue !== null && verb === "move") return issue.moves;
	const presets = await presetsHere(found, issue?.project ?? here);
	return [
		...new Set(
			presets
				.filter(({ name }) => issue === null || name === issue.preset)
				.flatMap(({ loaded }) => ("preset" in loaded ? loaded.preset.stages.map(({ name }) => name) : [])),
		),
	];
};

const vendors: Find = async ({ client }) => (await client.call("vendors")).map(({ type }) => type);

const finders: Readonly<Record<string, Find>> = {
	...{ agent: agents, agents, against: agents, assignee: agents },
	"agent|issue": async (found, wanted) => (await Promise.all([agents(found, wanted), issues(found, wanted)])).flat(),
	...{ issue: issues, on: issues, "depends-on": issues },
	project: projects,
	stage: stages,
	preset: async (found, { here }) => (await presetsHere(found, here)).map(({ name }) => name),
	type: async (found, wanted) => [
		...(await vendors(found, wanted)),
		...(wanted.verb === "setup" ? [] : ["llm", "shell", "scripted", "human"]),
	],
	words: vendors,
	"on|off": async () => ["on", "off"],
	since: async (_, { verb }) => (verb === "usage" ? ["today", "yesterday", "week", "month"] : []),
	subscription: async ({ client }) => (await client.call("subscriptions")).map(({ name }) => name),
	approval: async ({ client }) => (await client.call("approvals", { query: {} })).map(({ id }) => String(id)),
};
