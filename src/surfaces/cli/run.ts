// `brood run`: from a task to an agent at work on it, in any git repository.
import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { Refused } from "#client/client.ts";
import { vendorTypes } from "#contract/agent-type.ts";
import { refuse } from "#contract/refusal.ts";
import { inline } from "#contract/visible.ts";
import type { Agent, Project, Turn } from "#contract/wire.ts";
import { act, type CliContext, type Options } from "./act.ts";
import { followTurn } from "./follow-turn.ts";
import { projectHere } from "./here.ts";
import { LiveThread } from "./live.ts";
import { printPaintedToStderr, printToStderr } from "./print.ts";
import { diffText } from "./print-work.ts";
import { textOf } from "./prompt.ts";
import { slugOf } from "./status.ts";
import { chooseVendor } from "./vendor.ts";

interface RunOptions extends Options {
	name?: string | undefined;
	model?: string | undefined;
	policy?: string | undefined;
	file?: string | undefined;
	follow: boolean;
}

interface Ran {
	agent: Agent;
	turn: Turn | null;
	stat: string;
}

/** The types that can be named before the task. */
const runTypes = [...vendorTypes, "llm", "shell", "scripted", "human"] as const;

export async function run(words: readonly string[], options: RunOptions): Promise<void> {
	const say = options.json === true ? () => {} : printToStderr;
	await act(
		options,
		async (cli): Promise<Ran> => {
			const { type: given, text } = await taskOf(words, options.file);
			const project = cli.query.project ?? (await projectHere(cli)) ?? (await addProject(cli, say)).slug;
			const type = given ?? (await chooseVendor(cli, project, say));
			await installAdapter(cli, type, say);
			const { client, key } = cli;
			const body = { type, name: options.name, model: options.model, policy: options.policy };
			const agent = await client.ask("agentAddTo", { key, params: { project }, body });
			const prompt = await client.call("prompt", { params: { agent: agent.id }, body: { text } });
			const branch = agent.workspace === null ? "" : ` on ${agent.workspace.branch}`;
			say(`${agent.handle} (${type}) works in ${project}${branch}. Ctrl+C leaves it at work.`);
			if (!options.follow) return { agent, turn: null, stat: "" };
			process.once("SIGINT", () => detach(agent));
			const live = options.json === true ? null : new LiveThread(agent.workspace?.path ?? null);
			const interactive = live !== null && process.stdin.isTTY && process.stderr.isTTY;
			const turn = await followTurn(client, prompt, { live, interactive, say });
			if (turn.state !== "completed") process.exitCode = 1;
			const diff = agent.workspace === null ? null : await client.call("diff", { params: { agent: agent.id } });
			return { agent, turn, stat: diff === null || diff.files.length === 0 ? "" : diffText(diff, true) };
		},
		summary,
	);
}

/** The first word may name the type, if more words follow. */
async function taskOf(
	words: readonly string[],
	file: string | undefined,
): Promise<{ type: string | null; text: string }> {
	const [first = "", ...rest] = words;
	const named = runTypes.some((type) => type === first) && (rest.length > 0 || file !== undefined);
	const text = (named ? rest : words).join(" ");
	return { type: named ? first : null, text: await textOf(text === "" ? undefined : text, file) };
}

async function addProject({ client }: CliContext, say: (text: string) => void): Promise<Project> {
	const root = repositoryAt(process.cwd());
	if (root === null)
		throw new Refused(
			refuse("VALIDATION_ERROR", `${process.cwd()} is not in a git repository.`, {
				suggestions: ["git init", "brood agent add --no-project --type claude"],
			}),
		);
	const project = await client.call("projectAdd", { body: { slug: slugOf(root), path: root } });
	say(`Added the project ${project.slug} (${inline(project.path)}).`);
	return project;
}

/** The nearest folder upwards that is a repository's. */
function repositoryAt(folder: string): string | null {
	if (existsSync(path.join(folder, ".git"))) return folder;
	const above = path.dirname(folder);
	return above === folder ? null : repositoryAt(above);
}

async function installAdapter(
	{ client, status }: CliContext,
	type: string,
	say: (text: string) => void,
): Promise<void> {
	const adapter = (await client.call("adapters")).find((each) => each.type === type);
	if (adapter === undefined || adapter.installed !== null) return;
	const start = performance.now();
	const elapsed = (): string => `${Math.round((performance.now() - start) / 1000)} s`;
	say(`Installing the adapter for ${adapter.title} (${adapter.package} ${adapter.version}) …`);
	const tick = process.stderr.isTTY
		? setInterval(() => printPaintedToStderr(`\r  ${elapsed()} `), 1000).unref()
		: undefined;
	try {
		await client.call("setup", { params: { type }, body: {} });
	} finally {
		clearInterval(tick);
		if (tick !== undefined) printPaintedToStderr("\r");
	}
	const bytes = status === null ? 0 : sizeOf(path.join(status.home, "adapters", type));
	say(`Installed in ${elapsed()}${bytes === 0 ? "" : `, ${Math.round(bytes / 1_000_000)} MB`}.`);
}

function sizeOf(folder: string): number {
	if (!existsSync(folder)) return 0;
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
}

function detach({ handle }: Agent): void {
	printToStderr(
		`\n${handle} goes on.\n  follow it:  brood log ${handle} --follow\n  stop it:    brood interrupt ${handle}`,
	);
	process.exit(130);
}

function summary({ agent: { handle }, turn, stat }: Ran): string {
	if (turn === null) return `follow it:  brood log ${handle} --follow`;
	const end =
		turn.state === "completed" ? "" : `The turn ${turn.state}${turn.reason === null ? "" : `: ${turn.reason}`}.\n`;
	const next = [
		...(stat === ""
			? ["Nothing changed."]
			: [
					stat,
					"",
					`look at it:  brood diff ${handle}`,
					`keep it:     brood commit ${handle} -m '…' && brood approve ${handle}`,
				]),
		`go on:       brood prompt ${handle} '…' --follow`,
	];
	return `${end}\n${next.join("\n")}`;
}
