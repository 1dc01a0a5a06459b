// Anthropic's Messages.
import { field, filled, type Piece, type Said, usage, type Wire } from "./answer.ts";

export const anthropic: Wire = {
	name: "anthropic",
	asks: ({ pathname }) => pathname.endsWith("/v1/messages"),
	offersTools: (body) => filled(field(body, "tools")),
	model: (body) => String(field(body, "model")),
	stream(said, { model, n }) {
		const blocks = blocksOf(said, n);
		return [
			piece("message_start", { message: message(model, n, [], null) }),
			...blocks.flatMap((block, index) => [
				piece("content_block_start", { index, content_block: begun(block) }),
				...deltas(block).map((delta) => piece("content_block_delta", { index, delta })),
				piece("content_block_stop", { index }),
			]),
			piece("message_delta", {
				delta: { stop_reason: stop(said), stop_sequence: null },
				usage: { output_tokens: usage.output },
			}),
			piece("message_stop", {}),
		];
	},
	whole: (said, { model, n }) => message(model, n, blocksOf(said, n).map(finished), stop(said)),
	failure: ({ code, message: text }) => ({ type: "error", error: { type: code, message: text } }),
};

type Block =
	| { type: "text" | "thinking"; text: string }
	| { type: "tool_use"; id: string; name: string; input: object };

const piece = (type: string, data: object): Piece => ({ event: type, data: { type, ...data } });
const stop = ({ calls }: Said): string => (calls.length > 0 ? "tool_use" : "end_turn");

function blocksOf({ text, thought, calls }: Said, n: number): Block[] {
	return [
		...(thought === null ? [] : [{ type: "thinking" as const, text: thought }]),
		...(text === null ? [] : [{ type: "text" as const, text }]),
		...calls.map(({ name, input }, at) => ({ type: "tool_use" as const, id: `toolu_${n}_${at}`, name, input })),
	];
}

function begun(block: Block): object {
	if (block.type === "tool_use") return { ...block, input: {} };
	return block.type === "text" ? { type: "text", text: "" } : { type: "thinking", thinking: "", signature: "" };
}

function deltas(block: Block): object[] {
	// the real API sends an input in pieces, and programs report the fields that are complete
	if (block.type === "tool_use")
		return inPieces(JSON.stringify(block.input)).map((partial_json) => ({ type: "input_json_delta", partial_json }));
	return block.type === "text"
		? [{ type: "text_delta", text: block.text }]
		: [{ type: "thinking_delta", thinking: block.text }];
}

function inPieces(text: string): string[] {
	const length = Math.max(16, Math.ceil(text.length / 100));
	return Array.from({ length: Math.ceil(text.length / length) }, (_, at) => text.slice(at * length, (at + 1) * length));
}

function finished(block: Block): object {
	return block.type === "thinking" ? { type: "thinking", thinking: block.text, signature: "s" } : block;
}

function message(model: string, n: number, content: object[], reason: string | null): object {
	const tokens = {
		input_tokens: usage.input,
		output_tokens: reason === null ? 1 : usage.output,
		cache_read_input_tokens: 0,
		cache_creation_input_tokens: 0,
	};
	return {
		id: `msg_${n}`,
		type: "message",
		role: "assistant",
		model,
		content,
		stop_reason: reason,
		stop_sequence: null,
		usage: tokens,
	};
}
