// `brood wait`: the wait is a row in the daemon. The command holds a request open, and reconnects if it breaks.
import { setTimeout as pause } from "node:timers/promises";
import { Refused } from "#client/client.ts";
import { waitOut } from "#client/wait-out.ts";
import type { AgentId } from "#contract/ids.ts";
import { expected } from "#contract/log.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { inline } from "#contract/visible.ts";
import type { Wait } from "#contract/wire.ts";
import { act, type CliContext, type Options } from "./act.ts";
import { reconnect } from "./connect.ts";
import { scopeOf } from "./directory-project.ts";
import { printPaintedToStderr, printToStderr } from "./print.ts";

interface WaitOptions extends Options {
	for: "idle" | "turn" | "mail" | "ended";
	any?: boolean | undefined;
	timeout?: number | undefined;
}

export async function wait(agents: string[], options: WaitOptions): Promise<void> {
	await act(
		options,
		async (cli) => {
			const opened = await cli.client.call("waitOpen", { key: cli.key, body: await request(agents, options, cli) });
			// Ctrl+C cancels the wait in the daemon
			const stop = (): void =>
				void cli.client.call("waitCancel", { params: { wait: String(opened.id) } }).finally(() => process.exit(130));
			process.once("SIGINT", stop);
			const deadline =
				options.timeout === undefined ? undefined : AbortSignal.timeout(Math.min(options.timeout * 1000, 2 ** 31 - 1));
			const over = new AbortController();
			if (options.json !== true) void sayApprovals(cli, opened, over.signal).catch(expected("only the wait matters"));
			const ended = await untilEnded(opened, cli, { deadline, over: over.signal }).finally(() => over.abort());
			process.removeListener("SIGINT", stop);
			if (options.json !== true) ring();
			if (ended.state === "met") return ended;
			const late = ended.seen.filter((each) => !each.met).map((each) => each.handle);
			if (ended.state === "timeout")
				throw new Refused(
					refuse("TIMEOUT", `Time ran out: still waiting for ${late.join(", ")}.`, {
						details: { wait: ended.id, late },
					}),
				);
			throw new Refused(refuse("CONFLICT", "The wait was cancelled.", { details: { wait: ended.id } }));
		},
		(ended) => ended.seen.map((each) => `${each.handle}  ${each.label}${each.met ? "" : "  (not met)"}`).join("\n"),
	);
}

async function request(agents: string[], options: WaitOptions, cli: CliContext) {
	const { timeout } = options;
	const mode = options.any === true ? ("any" as const) : ("all" as const);
	return {
		agents,
		...(await scopeOf(cli, agents)),
		for: options.for,
		mode,
		...(timeout !== undefined && { timeoutMs: Math.round(timeout * 1000) }),
	};
}

/** Survives a restart of the daemon and an outage of its database: the wait is still there afterwards. */
async function untilEnded(
	opened: Wait,
	cli: CliContext,
	{ deadline, over }: { deadline: AbortSignal | undefined; over: AbortSignal },
): Promise<Wait> {
	let { client } = cli;
	const look = async (): Promise<Wait | Refusal> => {
		for (;;)
			try {
				return await client.call("wait", {
					params: { wait: String(opened.id) },
					query: { block: "true" },
					signal: over,
				});
			} catch (error) {
				if (error instanceof Refused) return error.refusal;
				// a look that nobody waits for any more
				if (over.aborted) throw error;
				await pause(250);
				({ client } = await reconnect(deadline));
			}
	};
	const ended = await waitOut(opened, { look });
	if (isRefusal(ended)) throw new Refused(ended);
	return ended;
}

/** An approval that a person has to give blocks the wait: it is named at once, with the command that shows it. */
async function sayApprovals({ client }: CliContext, { seen }: Wait, signal: AbortSignal): Promise<void> {
	const targets = new Set(seen.map(({ agent }) => agent));
	const handles = new Map(seen.map(({ agent, handle }) => [agent, handle]));
	const { lastEvent } = await client.call("status");
	const say = (agent: AgentId, id: number, title: string): void => {
		ring();
		printToStderr(`${handles.get(agent)} asks for approval: ${inline(title)}\n  try: brood approval show ${id}`);
	};
	for (const { id, agent, title } of await client.call("approvals", { query: {} }))
		if (targets.has(agent)) say(agent, id, title);
	for await (const event of client.events(lastEvent, signal, () => reconnect(signal))) {
		if (event.kind !== "approval.asked" || event.agent === null || !targets.has(event.agent)) continue;
		const asked = await client.call("approval", { params: { approval: String(event.id) } });
		if (asked.state === "pending") say(event.agent, event.id, asked.title);
	}
}

/** The terminal's bell, for a person who looks elsewhere. */
function ring(): void {
	if (process.stderr.isTTY) printPaintedToStderr("\u0007");
}
