// What our own agent programs share: they speak ACP on their standard input and output, do one prompt at a time, and
// say what they do through a small voice.
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, PROTOCOL_VERSION, RequestError, type SessionUpdate } from "@agentclientprotocol/sdk";

export interface Voice {
	/** a whole message */
	say(text: string): Promise<void>;
	/** a piece of a message with this name */
	piece(message: string, text: string): Promise<void>;
	/** does something and tells how it went */
	tool(title: string, kind: "execute" | "edit" | "other", work: () => Promise<string>): Promise<void>;
	readonly signal: AbortSignal;
}

/** A prompt that is over because something went wrong, in words for a person. */
export class TurnFailed extends Error {}

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
				const [status, text] = await work().then(
					(output) => ["completed", output] as const,
					(error: unknown) => ["failed", error instanceof Error ? error.message : String(error)] as const,
				);
				await update({ sessionUpdate: "tool_call_update", toolCallId, status, content: [{ type: "content", content: { type: "text", text } }] });
			};
			const prompt = params.prompt.map((block) => (block.type === "text" ? block.text : "")).join("\n");
			try {
				await carryOut(prompt, { say: (text) => piece(`message-${++said}`, text), piece, tool, signal });
			} catch (error) {
				if (!signal.aborted) throw new RequestError(-32000, error instanceof Error ? error.message : String(error));
			}
			return { stopReason: signal.aborted ? ("cancelled" as const) : ("end_turn" as const) };
		})
		.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
	// without a daemon there is nothing left to do
	void connection.closed.then(() => process.exit(0));
}
