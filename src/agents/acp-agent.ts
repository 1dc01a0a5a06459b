// What our own agent programs share: they speak ACP on their standard input and output, do one prompt at a time, and
// say what they do through a small voice.
import { Readable, Writable } from "node:stream";
import {
	agent,
	methods,
	ndJsonStream,
	PROTOCOL_VERSION,
	RequestError,
	type RequestPermissionRequest,
	type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { expected } from "#contract/log.ts";

export interface TurnReporter {
	/** a whole message */
	say(text: string): Promise<void>;
	/** a piece of a message with this name */
	piece(message: string, text: string): Promise<void>;
	/**
	 * tells of a call before it is done, so that several are told in their order; then does it and answers with its id
	 */
	begin(call: Call): Promise<(work: Work) => Promise<string>>;
	/** does something and tells how it went */
	tool(title: string, kind: Call["kind"], work: Work): Promise<void>;
	/** the same, once somebody has allowed it */
	ask(question: string, work: Work): Promise<void>;
	/** what the prompt has cost until now: told at once, so that a budget can end it */
	used(usage: Usage): Promise<void>;
	readonly signal: AbortSignal;
}

export interface Call {
	title: string;
	kind: "execute" | "edit" | "read" | "search" | "other";
	input?: object;
	/** the files that it changes */
	paths?: readonly string[];
	/** somebody has to allow it */
	asks?: boolean;
}

type Work = (soFar: (output: string) => void) => Promise<string>;

/** What a prompt cost, in tokens. */
export interface Usage {
	inputTokens: number;
	outputTokens: number;
	totalTokens: number;
	cachedReadTokens: number;
	cachedWriteTokens: number;
	/** in US dollars, of the whole session */
	cost?: number;
	/** how many tokens the model has before it now */
	contextTokens?: number;
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

/** A message has a largest size, and what cannot be written as it is takes up to six times its length. */
const escapedMax = 12 * 1024 * 1024;
function fitting(text: string): string {
	const escaped = text.length * 6 <= escapedMax ? 0 : JSON.stringify(text).length;
	return escaped <= escapedMax
		? text
		: `${text.slice(0, Math.floor(escapedMax / 6)).toWellFormed()}\n[cut: the rest was too long to send]`;
}

export function serveAgent(name: string, carryOut: (prompt: string, reporter: TurnReporter) => Promise<void>): void {
	let stop = new AbortController();
	let said = 0;
	// in a PID namespace every process has the same pid, and a fork inherits its parent's calls
	const self = `${process.env["BROOD_AGENT"] ?? process.pid}-${Math.trunc(performance.timeOrigin).toString(36)}`;
	const connection = agent({ name })
		.onRequest(methods.agent.initialize, async () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
		.onRequest(methods.agent.session.new, async () => ({ sessionId: "1" }))
		.onNotification(methods.agent.session.cancel, async () => stop.abort())
		.onRequest(methods.agent.session.prompt, async ({ params, client }) => {
			stop = new AbortController();
			const { signal } = stop;
			const update = (what: SessionUpdate): Promise<void> =>
				client.notify(methods.client.session.update, { sessionId: params.sessionId, update: what });
			const piece = (messageId: string, text: string) =>
				update({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } });
			const allowed = async (toolCall: RequestPermissionRequest["toolCall"]): Promise<void> => {
				const request: RequestPermissionRequest = { sessionId: params.sessionId, toolCall, options: [...permissions] };
				const { outcome, _meta } = await client.request(methods.client.session.requestPermission, request);
				if (outcome.outcome !== "selected") throw new Error("cancelled");
				const reason: unknown = Reflect.get(Object(_meta?.["brood"]), "reason");
				if (!outcome.optionId.startsWith("allow"))
					throw new Error(typeof reason === "string" ? `denied: ${reason}` : "denied");
			};
			const begin: TurnReporter["begin"] = async ({ title, kind, input, paths = [], asks = false }) => {
				const toolCallId = `call-${self}-${++said}`;
				const raw = input === undefined ? {} : { rawInput: input };
				const locations = paths.map((path) => ({ path }));
				await update({ sessionUpdate: "tool_call", toolCallId, title, kind, status: "in_progress", locations, ...raw });
				const tell = (output: string) => [
					{ type: "content" as const, content: { type: "text" as const, text: fitting(output) } },
				];
				const soFar = (output: string): void =>
					void update({ sessionUpdate: "tool_call_update", toolCallId, content: tell(output) }).catch(
						expected("the daemon has gone; the result fails with the same"),
					);
				return async (work) => {
					const [status, text] = await (asks ? allowed({ toolCallId, title, kind }) : Promise.resolve())
						.then(() => work(soFar))
						.then(
							(output) => ["completed", output] as const,
							(error: unknown) => ["failed", error instanceof Error ? error.message : String(error)] as const,
						);
					await update({ sessionUpdate: "tool_call_update", toolCallId, status, content: tell(text) });
					return toolCallId;
				};
			};
			const tool: TurnReporter["tool"] = async (title, kind, work) => void (await (await begin({ title, kind }))(work));
			const ask: TurnReporter["ask"] = async (title, work) =>
				void (await (
					await begin({ title, kind: "other", asks: true })
				)(work));
			const prompt = params.prompt.map((block) => (block.type === "text" ? block.text : "")).join("\n");
			let usage: Omit<Usage, "cost" | "contextTokens"> | null = null;
			const used: TurnReporter["used"] = async ({ cost, contextTokens = 0, ...tokens }) => {
				usage = tokens;
				const price = cost === undefined ? {} : { cost: { amount: cost, currency: "USD" } };
				// nobody here knows how large the model's window is
				await update({
					sessionUpdate: "usage_update",
					used: contextTokens,
					size: 0,
					...price,
					_meta: { brood: { tokens } },
				});
			};
			try {
				await carryOut(prompt, {
					say: (text) => piece(`message-${++said}`, text),
					piece,
					begin,
					tool,
					ask,
					used,
					signal,
				});
			} catch (error) {
				if (!signal.aborted)
					throw new RequestError(
						-32000,
						error instanceof Error ? error.message : String(error),
						error instanceof LimitMet ? error.data : undefined,
					);
			}
			const end = { stopReason: signal.aborted ? ("cancelled" as const) : ("end_turn" as const) };
			return { ...end, ...(usage !== null && { usage }) };
		})
		.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
	// without a daemon there is nothing left to do
	void connection.closed.then(() => process.exit(0));
}
