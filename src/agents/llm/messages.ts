// From the items of a context to a provider's messages. Pure, and each message depends only on its item and earlier
// ones: contexts that begin with the same items begin with the same messages, so that a fork hits its parent's prompt
// cache.
import type { ModelMessage } from "ai";
import { z } from "zod";
import { linesOf, promptForModel, quote } from "#contract/quote.ts";

export interface ContextItem {
	id: number;
	kind: string;
	text: string | null;
	data: unknown;
	actor?: string | undefined;
}

/** How our own calls are recorded: the tool and its input. */
export const OwnCall = z.object({
	call: z.string(),
	input: z.object({ tool: z.string(), input: z.record(z.string(), z.json()) }),
});
const AnyCall = z.object({ call: z.string() });
const Status = z.object({ status: z.string() });

interface Open {
	/** from the item's id, which is unique in the context and the same on both sides of a fork */
	id: string;
	tool: string;
}

/** The kinds that the model gets as notes of the daemon. Other kinds are for people, or repeat other items. */
const notes: ReadonlySet<string> = new Set(["system", "fork", "interrupt", "timeout", "killed", "command"]);

/** `pinned` goes right before the newest prompt, so that everything before it stays cacheable. */
export function messagesOf(items: readonly ContextItem[], pinned: string | null = null): ModelMessage[] {
	const writer = new MessageWriter();
	const prompt = pinned === null ? -1 : items.findLastIndex(({ kind }) => kind === "user");
	for (const [at, item] of items.entries()) {
		if (pinned !== null && at === prompt) writer.show(pinned);
		writer.take(item);
	}
	return writer.done();
}

class MessageWriter {
	readonly #messages: ModelMessage[] = [];
	readonly #open = new Map<string, Open>();
	/** notes that came while calls were open: nothing may stand between a call and its result */
	#later: string[] = [];

	take(item: ContextItem): void {
		if (item.kind === "tool_call") this.#call(item);
		else if (item.kind === "tool_result") this.#result(item);
		else if (item.kind === "assistant") this.#assistant(item.text ?? "");
		else if (item.kind === "user") this.#user(promptForModel(item));
		else if (notes.has(item.kind)) this.#note(item);
	}

	show(files: string): void {
		this.#user(`[brood] Files that you always see, as they were when this turn began:\n${files}`);
	}

	done(): ModelMessage[] {
		this.#closeOpen();
		// providers require a user's message first
		if (this.#messages[0]?.role === "assistant")
			this.#messages.unshift({ role: "user", content: "[brood] The conversation goes on." });
		return this.#messages;
	}

	#call(item: ContextItem): void {
		const own = OwnCall.safeParse(item.data);
		if (!own.success) {
			this.#assistant(`[used a tool: ${linesOf(item.text ?? "").join(" ")}]`);
			return;
		}
		if (this.#messages.at(-1)?.role === "tool") this.#closeOpen();
		const { call, input } = own.data;
		const id = `call_${item.id}`;
		this.#open.set(call, { id, tool: input.tool });
		this.#speak({ type: "tool-call", toolCallId: id, toolName: input.tool, input: input.input });
	}

	#result(item: ContextItem): void {
		const named = AnyCall.safeParse(item.data);
		const open = named.success ? this.#open.get(named.data.call) : undefined;
		if (open === undefined || !named.success) {
			this.#user(quote("the tool answered", item.text ?? "", "end of its answer"));
			return;
		}
		this.#open.delete(named.data.call);
		const status = Status.safeParse(item.data);
		this.#answer(open, item.text ?? "", status.success && status.data.status === "failed");
		if (this.#open.size === 0) this.#flush();
	}

	#assistant(text: string): void {
		if (text.trim() === "") return;
		if (this.#messages.at(-1)?.role === "tool") this.#closeOpen();
		this.#speak({ type: "text", text });
	}

	#user(text: string): void {
		this.#closeOpen();
		this.#messages.push({ role: "user", content: text.trim() === "" ? "(nothing)" : text });
	}

	#note(item: ContextItem): void {
		const words = noteOf(item);
		if (this.#open.size > 0) this.#later.push(words);
		else this.#messages.push({ role: "user", content: words });
	}

	#speak(
		part: { type: "text"; text: string } | { type: "tool-call"; toolCallId: string; toolName: string; input: unknown },
	): void {
		const last = this.#messages.at(-1);
		if (last?.role === "assistant" && Array.isArray(last.content)) last.content.push(part);
		else this.#messages.push({ role: "assistant", content: [part] });
	}

	#answer({ id, tool }: Open, text: string, failed: boolean): void {
		const part = {
			type: "tool-result" as const,
			toolCallId: id,
			toolName: tool,
			output: { type: failed ? ("error-text" as const) : ("text" as const), value: text === "" ? "(no output)" : text },
		};
		const last = this.#messages.at(-1);
		if (last?.role === "tool") last.content.push(part);
		else this.#messages.push({ role: "tool", content: [part] });
	}

	/** The result of a call may have been cut away or not recorded. */
	#closeOpen(): void {
		for (const open of this.#open.values()) this.#answer(open, "There is no result.", true);
		this.#open.clear();
		this.#flush();
	}

	#flush(): void {
		for (const words of this.#later) this.#messages.push({ role: "user", content: words });
		this.#later = [];
	}
}

/** A note in the daemon's name. Texts of others are quoted with their author, who may be an agent. */
function noteOf({ text, kind, actor }: ContextItem): string {
	if (kind !== "interrupt") return text ? quote(`brood: ${kind}`, text, "end of the note") : `[brood: ${kind}]`;
	if (!text) return "[brood] Your turn was stopped.";
	const person = actor === "system" ? "brood" : "the user";
	const who = actor?.startsWith("agent:") === true ? `${actor}, which is not the user` : person;
	return quote(`brood: your turn was stopped by ${who}, for this reason`, text, "end of the reason");
}
