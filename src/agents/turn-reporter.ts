// How our own agent programs report a turn over ACP: messages, tool calls, permission requests and usage.
import {
	type AgentContext,
	methods,
	type RequestPermissionRequest,
	type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { expected } from "#contract/log.ts";
import { messageOf } from "#contract/message-of.ts";

export interface ReportedCall {
	title: string;
	kind: "execute" | "edit" | "read" | "search" | "other";
	input?: object;
	/** the files that it changes */
	paths?: readonly string[];
	/** needs an approval */
	asks?: boolean;
}

type ToolWork = (soFar: (output: string) => void) => Promise<string>;

interface Tokens {
	inputTokens: number;
	outputTokens: number;
	totalTokens: number;
	cachedReadTokens: number;
	cachedWriteTokens: number;
}

/** What a prompt cost. */
export interface PromptUsage extends Tokens {
	/** in US dollars, of the whole session */
	sessionCost?: number;
	/** how many tokens the model has before it now */
	contextTokens?: number;
}

const permissions = [
	{ optionId: "allow", name: "Allow", kind: "allow_once" },
	{ optionId: "allow-always", name: "Always allow", kind: "allow_always" },
	{ optionId: "deny", name: "Deny", kind: "reject_once" },
] as const;

interface ReporterParts {
	client: AgentContext;
	sessionId: string;
	signal: AbortSignal;
	/** for names that are unique in this process */
	nextNumber(): number;
}

export class TurnReporter {
	readonly #parts: ReporterParts;
	readonly signal: AbortSignal;
	/** as last reported */
	usage: Tokens | null = null;

	constructor(parts: ReporterParts) {
		this.#parts = parts;
		this.signal = parts.signal;
	}

	/** a whole message */
	async say(text: string): Promise<void> {
		await this.chunk(`message-${this.#parts.nextNumber()}`, text);
	}

	/** a chunk of the message with this id */
	async chunk(messageId: string, text: string): Promise<void> {
		await this.#update({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } });
	}

	/** Reports a call before it runs, so that several are reported in order. The result runs it and answers its id. */
	async begin({
		title,
		kind,
		input,
		paths = [],
		asks = false,
	}: ReportedCall): Promise<(work: ToolWork) => Promise<string>> {
		const toolCallId = `call-${self}-${this.#parts.nextNumber()}`;
		const raw = input === undefined ? {} : { rawInput: input };
		const locations = paths.map((path) => ({ path }));
		const status = "in_progress";
		await this.#update({ sessionUpdate: "tool_call", toolCallId, title, kind, status, locations, ...raw });
		const contentOf = (output: string) => [
			{ type: "content" as const, content: { type: "text" as const, text: fitting(output) } },
		];
		const soFar = (output: string): void =>
			void this.#update({ sessionUpdate: "tool_call_update", toolCallId, content: contentOf(output) }).catch(
				expected("the daemon has gone; reporting the result fails too"),
			);
		return async (work) => {
			const [ended, text] = await (asks ? this.#allowed({ toolCallId, title, kind }) : Promise.resolve())
				.then(() => work(soFar))
				.then(
					(output) => ["completed", output] as const,
					(error: unknown) => ["failed", messageOf(error)] as const,
				);
			await this.#update({ sessionUpdate: "tool_call_update", toolCallId, status: ended, content: contentOf(text) });
			return toolCallId;
		};
	}

	/** runs something as a tool call */
	async tool(title: string, kind: ReportedCall["kind"], work: ToolWork): Promise<void> {
		const run = await this.begin({ title, kind });
		await run(work);
	}

	/** the same, with an approval */
	async ask(title: string, work: ToolWork): Promise<void> {
		const run = await this.begin({ title, kind: "other", asks: true });
		await run(work);
	}

	/** the usage of the prompt so far: reported at once, so that a budget can end the turn */
	async used({ sessionCost, contextTokens = 0, ...tokens }: PromptUsage): Promise<void> {
		this.usage = tokens;
		const price = sessionCost === undefined ? {} : { cost: { amount: sessionCost, currency: "USD" } };
		const _meta = { brood: { tokens } };
		// the size of the model's window is not known here
		await this.#update({ sessionUpdate: "usage_update", used: contextTokens, size: 0, ...price, _meta });
	}

	async #allowed(toolCall: RequestPermissionRequest["toolCall"]): Promise<void> {
		const { client, sessionId } = this.#parts;
		const request: RequestPermissionRequest = { sessionId, toolCall, options: [...permissions] };
		const { outcome, _meta } = await client.request(methods.client.session.requestPermission, request);
		if (outcome.outcome !== "selected") throw new Error("cancelled");
		const reason: unknown = Reflect.get(Object(_meta?.["brood"]), "reason");
		if (!outcome.optionId.startsWith("allow"))
			throw new Error(typeof reason === "string" ? `denied: ${reason}` : "denied");
	}

	async #update(update: SessionUpdate): Promise<void> {
		const { client, sessionId } = this.#parts;
		await client.notify(methods.client.session.update, { sessionId, update });
	}
}

/** in a PID namespace every process has the same pid, and a fork inherits its parent's calls */
const self = `${process.env["BROOD_AGENT"] ?? process.pid}-${Math.trunc(performance.timeOrigin).toString(36)}`;

/** The protocol limits a message's size; JSON escapes take up to six times a text's length. */
const escapedMax = 12 * 1024 * 1024;
function fitting(text: string): string {
	const escaped = text.length * 6 <= escapedMax ? 0 : JSON.stringify(text).length;
	return escaped <= escapedMax
		? text
		: `${text.slice(0, Math.floor(escapedMax / 6)).toWellFormed()}\n[truncated: the rest was too long to send]`;
}
