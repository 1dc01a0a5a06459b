// `brood wait`: the wait is a row of the daemon; we only stay on the line, and call again if it breaks.
import { setTimeout as pause } from "node:timers/promises";
import { Refused } from "#client/client.ts";
import { refuse } from "#contract/refusal.ts";
import type { Wait } from "#contract/wire.ts";
import { act, type CliContext, type Options } from "./act.ts";
import { reconnect } from "./connect.ts";

interface WaitOptions extends Options {
	for: "idle" | "turn" | "mail" | "ended";
	any?: boolean | undefined;
	timeout?: number | undefined;
}

export async function wait(agents: string[], options: WaitOptions): Promise<void> {
	await act(
		options,
		async (cli) => {
			const opened = await cli.client.call("waitOpen", { key: cli.key, body: request(agents, options, cli) });
			// whoever stops waiting leaves no row behind
			const stop = (): void =>
				void cli.client.call("waitCancel", { params: { wait: String(opened.id) } }).finally(() => process.exit(130));
			process.once("SIGINT", stop);
			const deadline =
				options.timeout === undefined ? undefined : AbortSignal.timeout(Math.min(options.timeout * 1000, 2 ** 31 - 1));
			const ended = await over(opened, cli, deadline);
			process.removeListener("SIGINT", stop);
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
		(ended) =>
			ended.seen
				.map((each) => `${each.handle}  ${each.label}${each.met ? "" : "  (not waited for any longer)"}`)
				.join("\n"),
	);
}

function request(agents: string[], options: WaitOptions, { query }: CliContext) {
	const { timeout } = options;
	const mode = options.any === true ? ("any" as const) : ("all" as const);
	return {
		agents,
		...query,
		for: options.for,
		mode,
		...(timeout !== undefined && { timeoutMs: Math.round(timeout * 1000) }),
	};
}

/** A daemon that goes away meanwhile is called again: the wait is still there when it is back. */
async function over(opened: Wait, cli: CliContext, deadline: AbortSignal | undefined): Promise<Wait> {
	let { client } = cli;
	for (let now = opened; ; ) {
		if (now.state !== "open") return now;
		try {
			now = await client.call("wait", { params: { wait: String(opened.id) }, query: { block: "true" } });
		} catch (error) {
			if (error instanceof Refused) throw error;
			await pause(250);
			({ client } = await reconnect(deadline));
		}
	}
}
