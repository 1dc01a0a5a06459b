// `brood ps`: what every agent is doing, on one line each.

import { setTimeout as pause } from "node:timers/promises";
import type { AnswerOf } from "#contract/routes.ts";
import { inline, oneLine } from "#contract/visible.ts";
import type { Agent } from "#contract/wire.ts";
import { withLocalTimes } from "#views/local-times.ts";
import { nodeName } from "#views/node-name.ts";
import { styleOf } from "#views/state-style.ts";
import { money } from "#views/usage-lines.ts";
import { act, type CliContext, cliContextOf, type Options } from "./act.ts";
import { reconnect } from "./connect.ts";
import { fitColumns, joined } from "./fit-columns.ts";
import { age, localNow, printData, printError, printPainted, terminalColumns } from "./print.ts";
import { labelText } from "./print-agents.ts";
import { painted } from "./style.ts";

export interface PsOptions extends Options {
	all?: boolean | undefined;
	watch?: boolean | undefined;
	type?: string | undefined;
	model?: string | undefined;
}

type ListedAgent = Agent & { progress: AnswerOf<"progress">[number] | null; nodeName: string | null };

export async function ps(options: PsOptions): Promise<void> {
	const show = (before: string) => (lines: ListedAgent[]) => {
		// already coloured and escaped, cell by cell
		printPainted(`${before}${psTable(lines)}\n`);
		return "";
	};
	if (options.watch !== true) return await act(options, (cli) => linesOf(cli, options), show(""));
	try {
		await watch(await cliContextOf(options), options, show(process.stdout.isTTY ? "\u001B[H\u001B[2J" : ""));
	} catch (error) {
		process.exitCode = printError(error, options.json === true);
	}
}

const tickMs = 2000;
/** people change files and branches too, which the journal does not say */
const lookAgainTicks = 15;

/** Ages are printed every tick. The daemon, and git for every agent, are only asked after something has happened. */
async function watch(cli: CliContext, options: PsOptions, show: (lines: ListedAgent[]) => void): Promise<void> {
	const { client, query } = cli;
	const stop = new AbortController();
	const refresh = new RefreshTimer();
	const { lastEvent } = await client.call("status");
	const following = (async () => {
		for await (const message of client.follow({ ...query, after: lastEvent }, stop.signal, reconnect))
			if ("event" in message || "lost" in message) refresh.arrived();
	})();
	const ticking = (async () => {
		let lines: ListedAgent[] = [];
		for (;;) {
			if (refresh.isDue()) lines = await linesOf(cli, options);
			if (options.json === true) printData(lines);
			else show(lines);
			await pause(tickMs);
		}
	})();
	try {
		await Promise.race([following, ticking]);
	} finally {
		stop.abort();
	}
}

/** When a watched list has to be read again: after an event, and now and then. */
export class RefreshTimer {
	#ticksLeft = 0;

	arrived(): void {
		this.#ticksLeft = 0;
	}

	/** Called once a tick. */
	isDue(): boolean {
		const isDue = this.#ticksLeft === 0;
		this.#ticksLeft = isDue ? lookAgainTicks : this.#ticksLeft - 1;
		return isDue;
	}
}

async function linesOf({ client, query }: CliContext, { all, type, model }: PsOptions): Promise<ListedAgent[]> {
	const [agents, progress, nodes] = await Promise.all([
		client.call("agents", { query: { ...query, type, model } }),
		client.call("progress", { query }),
		client.call("nodes"),
	]);
	const byAgent = new Map(progress.map((each) => [each.agent, each]));
	return agents
		.filter((agent) => all === true || (agent.life !== "ended" && agent.supervisor !== null))
		.map((agent) => ({
			...agent,
			progress: byAgent.get(agent.id) ?? null,
			nodeName: nodeName(agent, nodes) ?? null,
		}));
}

/** Without empty columns. What does not fit into a terminal is left out or cut: what an agent does matters most. */
function psTable(lines: readonly ListedAgent[]): string {
	if (lines.length === 0) return "no agents: brood run 'your prompt' starts one";
	const cells = lines.map((line) => [
		line.handle,
		stateOf(line),
		line.project ?? "",
		line.nodeName ?? "",
		branchText(line),
		line.queueLength > 0 ? `+${line.queueLength}` : "",
		line.unreadMail > 0 ? String(line.unreadMail) : "",
		costOf(line),
		age(line.createdAt),
		age(line.lastActiveAt),
		oneLine(reasonOf(line) ?? waitText(line) ?? line.progress?.lastText ?? ""),
	]);
	const head = ["AGENT", "STATE", "PROJECT", "NODE", "BRANCH", "QUEUE", "MAIL", "COST", "AGE", "ACTIVE", "LAST"];
	const used = head.map((_, at) => at < 2 || cells.some((row) => row[at] !== ""));
	const rows = [head, ...cells].map((row) => row.filter((_, at) => used[at]).map(inline));
	const isOneProject = new Set(lines.map(({ project }) => project)).size === 1;
	const columns = terminalColumns();
	const shown = fitColumns(rows, {
		columns,
		leftOut: [...(isOneProject ? ["PROJECT"] : []), "ACTIVE", "COST", "BRANCH", "NODE", "PROJECT", "MAIL", "QUEUE"],
		cut: [
			["LAST", 24],
			["AGENT", 12],
			["STATE", 12],
		],
	});
	return shown
		.map((row, number) => {
			const text = joined(row, columns);
			const line = lines[number - 1];
			if (line === undefined) return painted("faint", text);
			// only the state has a colour: it is the second column
			const from = (row[0] ?? "").length + 2;
			const to = from + (row[1] ?? "").length;
			return text.slice(0, from) + painted(styleOf(line).tone, text.slice(from, to)) + text.slice(to);
		})
		.join("\n");
}

const stateOf = (line: ListedAgent): string => {
	const waits = line.label === "idle" && line.queueLength > 0 ? " (queued)" : "";
	return `${styleOf(line).glyph} ${labelText(line)}${waits}`;
};

/** Why an agent is held. */
const reasonOf = ({ holds }: ListedAgent): string | null => holds.find(({ reason }) => reason !== "")?.reason ?? null;

const waitText = ({ label, waitingFor }: ListedAgent): string | null =>
	label === "idle" && waitingFor !== null ? withLocalTimes(waitingFor, localNow()) : null;

function branchText({ workspace, progress }: ListedAgent): string {
	if (workspace === null) return "";
	const { branchStatus = null } = progress ?? {};
	if (branchStatus === null) return workspace.branch ?? "";
	const { added, deleted, ahead, behind } = branchStatus;
	const parts = [
		added + deleted > 0 && `+${added} −${deleted}`,
		ahead > 0 && `${ahead} ahead`,
		behind > 0 && `${behind} behind`,
	];
	return [workspace.branch, ...parts.filter((part) => part !== false)].join(" ");
}

function costOf({ spent }: Agent): string {
	const costs = spent.costs.filter(({ amount }) => amount > 0);
	return costs.length === 0 ? "" : money({ costs });
}
