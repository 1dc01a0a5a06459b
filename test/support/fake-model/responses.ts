// OpenAI's Responses.
import { field, filled, type Piece, type Said, usage, type Wire } from "./answer.ts";

export const responses: Wire = {
	name: "responses",
	asks: ({ pathname }) => pathname.endsWith("/responses"),
	offersTools: (body) => filled(field(body, "tools")),
	model: (body) => String(field(body, "model")),
	stream(said, { model, n }) {
		const response = { id: `resp_${n}`, object: "response", model, status: "in_progress", output: [] };
		const output = outputOf(said, n);
		return [
			piece("response.created", { response }),
			...output.flatMap((item, index) => [
				piece("response.output_item.added", { output_index: index, item }),
				...(said.text !== null && field(item, "type") === "message"
					? [
							piece("response.output_text.delta", {
								output_index: index,
								content_index: 0,
								item_id: field(item, "id"),
								delta: said.text,
							}),
						]
					: []),
				piece("response.output_item.done", { output_index: index, item }),
			]),
			piece("response.completed", { response: { ...response, status: "completed", output, usage: tokens } }),
		];
	},
	whole: (said, { model, n }) => ({
		id: `resp_${n}`,
		object: "response",
		model,
		status: "completed",
		output: outputOf(said, n),
		usage: tokens,
	}),
	failure: ({ code, message }) => ({ error: { type: code, code, message } }),
};

const tokens = {
	input_tokens: usage.input,
	input_tokens_details: { cached_tokens: 0 },
	output_tokens: usage.output,
	output_tokens_details: { reasoning_tokens: 0 },
	total_tokens: usage.input + usage.output,
};

const piece = (type: string, data: object): Piece => ({ event: type, data: { type, ...data } });

function outputOf({ text, thought, calls }: Said, n: number): object[] {
	return [
		...(thought === null
			? []
			: [{ type: "reasoning", id: `rs_${n}`, summary: [{ type: "summary_text", text: thought }] }]),
		...(text === null
			? []
			: [
					{
						type: "message",
						id: `msg_${n}`,
						role: "assistant",
						content: [{ type: "output_text", text, annotations: [] }],
					},
				]),
		...calls.map(({ name, namespace, input, freeform }, at) => {
			const ids = {
				id: `fc_${n}_${at}`,
				call_id: `call_${n}_${at}`,
				name,
				...(namespace !== undefined && { namespace }),
			};
			return freeform === undefined
				? { type: "function_call", ...ids, arguments: JSON.stringify(input) }
				: { type: "custom_tool_call", ...ids, input: freeform, status: "completed" };
		}),
	];
}
