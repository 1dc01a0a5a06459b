// What our own agent programs share: they speak ACP on their standard input and output, do one prompt at a time, and
// say what they do through a small voice.
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, PROTOCOL_VERSION, RequestError, type RequestPermissionRequest, type SessionUpdate } from "@agentclientprotocol/sdk";

export interface Voice {
	/** a whole message */
	say(text: string): Promise<void>;
	/** a piece of a message with this name */
	piece(message: string, text: string): Promise<void>;
	/** does something and tells how it went */
	tool(title: string, kind: "execute" | "edit" | "other", work: (soFar: (output: string) => void) => Promise<string>): Promise<void>;
	/** the same, once somebody has allowed it */
	ask(question: string, work: () => Promise<string>): Promise<void>;
	readonly signal: AbortSignal;
}

const permissions = [
	{ optionId: "allow", name: "Allow", kind: "allow_once" },
	{ optionId: "allow-always", name: "Always allow", kind: "allow_always" },
	{ optionId: "deny", name: "Deny", kind: "reject_once" },
] as const;

/** A prompt that is over because something went wrong, in words for a person. */
export class TurnFailed extends Error {}

/** The provider will not do more before a certain moment. */
export class LimitMet extends Error {
	readonly data: { limit: { resetAt: string } };
	constructor(resetAt: number) {
		super("A usage limit was met.");
		this.data = { limit: { resetAt: new Date(resetAt).toISOString() } };
	}
}

export function speak(name: string, carryOut: (prompt: string, voice: Voice) => Promise<void>): void {
	let stop = new AbortController();
	let said = 0;
	const connection = agent({ name })
		.onRequest(methods.agent.initialize, async () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
		.onRequest(methods.agent.session.new, async () => ({ sessionId: "1" }))
		.onNotification(methods.agent.session.cancel, async () => stop.abort())
		.onRequest(methods.agent.session.prompt, async ({ params, client }) => {
			stop = new AbortController();
			const { signal } = stop;
			const update = (what: SessionUpdate): Promise<void> => client.notify(methods.client.session.update, { sessionId: params.sessionId, update: what });
			const piece = (messageId: string, text: string) => update({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } });
			const tool: Voice["tool"] = async (title, kind, work) => {
				const toolCallId = `call-${++said}`;
				await update({ sessionUpdate: "tool_call", toolCallId, title, kind, status: "in_progress" });
				const soFar = (output: string): void =>
					void update({ sessionUpdate: "tool_call_update", toolCallId, content: [{ type: "content", content: { type: "text", text: output } }] }).catch(
						() => {},
					);
				const [status, text] = await work(soFar).then(
					(output) => ["completed", output] as const,
					(error: unknown) => ["failed", error instanceof Error ? error.message : String(error)] as const,
				);
				await update({ sessionUpdate: "tool_call_update", toolCallId, status, content: [{ type: "content", content: { type: "text", text } }] });
			};
			const ask: Voice["ask"] = (question, work) =>
				tool(question, "other", async () => {
					const toolCall: RequestPermissionRequest["toolCall"] = { toolCallId: `call-${said}`, title: question, kind: "other" };
					const request: RequestPermissionRequest = { sessionId: params.sessionId, toolCall, options: [...permissions] };
					const { outcome } = await client.request(methods.client.session.requestPermission, request);
					if (outcome.outcome !== "selected" || !outcome.optionId.startsWith("allow")) throw new Error(outcome.outcome === "selected" ? "denied" : "cancelled");
					return await work();
				});
			const prompt = params.prompt.map((block) => (block.type === "text" ? block.text : "")).join("\n");
			try {
				await carryOut(prompt, { say: (text) => piece(`message-${++said}`, text), piece, tool, ask, signal });
			} catch (error) {
				if (!signal.aborted)
					throw new RequestError(-32000, error instanceof Error ? error.message : String(error), error instanceof LimitMet ? error.data : undefined);
			}
			return { stopReason: signal.aborted ? ("cancelled" as const) : ("end_turn" as const) };
		})
		.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
	// without a daemon there is nothing left to do
	void connection.closed.then(() => process.exit(0));
}
