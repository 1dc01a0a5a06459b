// `brood run`: from a prompt to an agent at work on it, in any git repository.
import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { Refused } from "#client/client.ts";
import { fullName } from "#contract/full-name.ts";
import { refuse } from "#contract/refusal.ts";
import { inline } from "#contract/visible.ts";
import type { Agent, Project, Turn } from "#contract/wire.ts";
import { verbThatEndsHolds } from "#views/agent-actions.ts";
import { act, type CliContext, freshKey, type Options } from "./act.ts";
import { chooseType, howToLogInIfNot } from "./default-type.ts";
import { detachOnInterrupt } from "./detach.ts";
import { followTurn } from "./follow-turn.ts";
import { LiveConversation } from "./live-conversation.ts";
import { nameFromPrompt } from "./name-from-prompt.ts";
import { printToStderr } from "./print.ts";
import { diffText } from "./print-work.ts";
import { projectHere } from "./project-here.ts";
import { addRepository, noRepository, repositoryAt } from "./repository.ts";
import { subscriptionWithKeys } from "./shell-keys.ts";
import { typeAndPrompt } from "./type-and-prompt.ts";

interface RunOptions extends Options {
	name?: string | undefined;
	model?: string | undefined;
	policy?: string | undefined;
	file?: string | undefined;
	env?: string[] | undefined;
	follow: boolean;
}

interface RunResult {
	agent: Agent;
	turn: Turn | null;
	stat: string;
	/** the agent has committed all of it */
	committed: boolean;
}

export async function run(words: readonly string[], options: RunOptions): Promise<void> {
	const say = options.json === true ? () => {} : printToStderr;
	// names are looked for in the directory's project first
	const isElsewhere = options.project !== undefined;
	await act(
		options,
		async (cli): Promise<RunResult> => {
			const { type: given, text } = await typeAndPrompt(words, options.file);
			const project = cli.query.project ?? (await projectHere(cli)) ?? (await addProject(cli, say)).slug;
			const type = given ?? (await chooseType(cli, project, say));
			await installAdapter(cli, type, say);
			const { client } = cli;
			const subscription = await subscriptionWithKeys(cli, type, { env: options.env, say });
			const body = { type, model: options.model, policy: options.policy, subscription };
			const agent = await addNamed(options.name, text, async (names) =>
				client.ask("agentAddTo", { key: freshKey(), params: { project }, body: { ...body, ...names } }),
			);
			const prompt = await client.call("prompt", { params: { agent: agent.id }, body: { text } });
			const branch = agent.workspace === null ? "" : ` on ${agent.workspace.branch}`;
			say(`${agent.handle} (${type}) works in ${project}${branch}. Ctrl+C leaves it at work.`);
			if (!options.follow) return { agent, turn: null, stat: "", committed: false };
			const { handle } = agent;
			detachOnInterrupt({ handle, name: isElsewhere ? fullName(agent) : handle, json: options.json });
			const live = options.json === true ? null : new LiveConversation(agent.workspace?.path ?? null);
			const interactive = live !== null && process.stdin.isTTY && process.stderr.isTTY;
			const turn = await followTurn(client, prompt, { live, interactive, say });
			if (turn.state !== "completed") process.exitCode = 1;
			const login = turn.state === "failed" ? await howToLogInIfNot(client, type) : null;
			if (login !== null) say(login);
			const diff = agent.workspace === null ? null : await client.call("diff", { params: { agent: agent.id } });
			const stat = diff === null || diff.files.length === 0 ? "" : diffText(diff, true);
			// the turn may have left it held
			const now = await client.call("agent", { params: { agent: agent.id } });
			return { agent: now, turn, stat, committed: stat !== "" && (await isCommitted(cli, agent)) };
		},
		(ran) => summary(ran, isElsewhere),
	);
}

/** Without a given name the prompt names the agent; a name that has been used gets a number. */
async function addNamed(
	given: string | undefined,
	prompt: string,
	add: (names: { name?: string | undefined; title?: string }) => Promise<Agent>,
): Promise<Agent> {
	const name = given === undefined ? nameFromPrompt(prompt) : undefined;
	for (const attempt of name === undefined ? [] : [name, ...numbers.map((n) => `${name}-${n}`)]) {
		try {
			return await add({ name: attempt });
		} catch (error) {
			if (!(error instanceof Refused) || error.refusal.code !== "CONFLICT") throw error;
		}
	}
	return await add(given === undefined ? { title: prompt.slice(0, 200) } : { name: given });
}

const numbers = [2, 3, 4, 5, 6, 7, 8, 9];

async function addProject(cli: CliContext, say: (text: string) => void): Promise<Project> {
	if (cli.home === null)
		throw new Refused(
			refuse("VALIDATION_ERROR", "The daemon of BROOD_URL does not know this folder: name a project with --project.", {
				suggestions: ["brood project list"],
			}),
		);
	const root = repositoryAt(process.cwd());
	if (root === null) throw noRepository(process.cwd());
	return await addRepository(cli, root, say);
}

async function installAdapter({ client, home }: CliContext, type: string, say: (text: string) => void): Promise<void> {
	const vendor = (await client.call("vendors")).find((each) => each.type === type);
	if (vendor === undefined || vendor.installed !== null) return;
	const start = performance.now();
	const elapsed = (): string => `${Math.round((performance.now() - start) / 1000)} s`;
	say(`Installing the adapter for ${vendor.title} (${vendor.package} ${vendor.version}) …`);
	const leave = (): never => {
		say("\nThe daemon goes on installing. No agent was started: run this again when it is done.");
		process.exit(130);
	};
	process.once("SIGINT", leave);
	await client.call("setup", { params: { type }, body: {} });
	process.removeListener("SIGINT", leave);
	const bytes = home === null ? 0 : sizeOf(path.join(home, "adapters", type));
	say(`Installed in ${elapsed()}${bytes === 0 ? "" : `, ${Math.round(bytes / 1_000_000)} MB`}.`);
}

function sizeOf(folder: string): number {
	if (!existsSync(folder)) return 0;
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
}

/** Whether the agent has committed all that it changed. */
async function isCommitted({ client }: CliContext, { id, project }: Agent): Promise<boolean> {
	const all = await client.call("progress", { query: project === null ? {} : { project } });
	return all.find(({ agent }) => agent === id)?.branchStatus?.uncommitted === false;
}

function summary({ agent, turn, stat, committed }: RunResult, isElsewhere: boolean): string {
	const handle = isElsewhere ? fullName(agent) : agent.handle;
	if (turn === null) return `follow it:  brood log ${handle} --follow`;
	const end = turn.state === "completed" ? "" : `${endText(turn)}\n`;
	const next = [
		...(stat === ""
			? ["Nothing changed."]
			: [
					stat,
					"",
					`look at it:  brood diff ${handle}`,
					`keep it:     ${committed ? "" : `brood commit ${handle} -m '…' && `}brood approve ${handle}`,
				]),
		`go on:       ${goOn(agent, turn, handle)}`,
	];
	return `${end}\n${next.join("\n")}`;
}

function endText({ state, reason }: Turn): string {
	if (reason === "crash" || reason === "shutdown") return `The turn was interrupted by a ${reason}.`;
	// a reason that only repeats the state says nothing
	const why = reason === null || reason === state ? "" : `: ${inline(reason).replace(/\.$/, "")}`;
	return state === "failed" ? `The turn failed${why}.` : `The turn was interrupted${why}.`;
}

/** A held agent starts no prompt before it is resumed or repaired. */
function goOn(agent: Agent, { state, retriedAs }: Turn, handle: string): string {
	if (agent.holds.length === 0) return `brood prompt ${handle} '…' --follow`;
	const verb = verbThatEndsHolds(agent);
	const isRetried = verb === "resume" && state !== "completed" && retriedAs === null;
	return `brood agent ${verb} ${handle}${isRetried ? " --retry" : ""}`;
}
