// Serves our own agent programs over ACP on standard input and output, one prompt at a time.
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk";
import { messageOf } from "#contract/message-of.ts";
import { TurnReporter } from "./turn-reporter.ts";

/** Ends a turn as failed, with a message for people. */
export class TurnFailed extends Error {}

/** Ends a turn at a usage limit, with its end. */
export class LimitMet extends Error {
	readonly data: { limit: { resetAt: string } };
	constructor(resetAt: number) {
		super("A usage limit was reached.");
		this.data = { limit: { resetAt: new Date(resetAt).toISOString() } };
	}
}

export function serveAgent(name: string, run: (prompt: string, reporter: TurnReporter) => Promise<void>): void {
	let stop = new AbortController();
	let names = 0;
	const connection = agent({ name })
		.onRequest(methods.agent.initialize, async () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
		.onRequest(methods.agent.session.new, async () => ({ sessionId: "1" }))
		.onNotification(methods.agent.session.cancel, async () => stop.abort())
		.onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
			stop = new AbortController();
			const { signal } = stop;
			const reporter = new TurnReporter({ client, sessionId, signal, nextNumber: () => ++names });
			try {
				await run(prompt.map((block) => (block.type === "text" ? block.text : "")).join("\n"), reporter);
			} catch (error) {
				if (!signal.aborted)
					throw new RequestError(-32000, messageOf(error), error instanceof LimitMet ? error.data : undefined);
			}
			const { usage } = reporter;
			return { stopReason: signal.aborted ? "cancelled" : "end_turn", ...(usage !== null && { usage }) };
		})
		.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
	// without a daemon there is nothing left to do
	void connection.closed.then(() => process.exit(0));
}
