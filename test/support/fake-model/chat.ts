// Chat completions, as OpenAI began them and everybody else speaks them.
import { field, filled, type Said, usage, type Wire } from "./answer.ts";

export const chat: Wire = {
	name: "chat",
	asks: ({ pathname }) => pathname.endsWith("/chat/completions"),
	offersTools: (body) => filled(field(body, "tools")),
	model: (body) => String(field(body, "model")),
	stream(said, { model, n }) {
		const chunk = (delta: object, finish: string | null = null) => ({
			data: {
				id: `chat_${n}`,
				object: "chat.completion.chunk",
				created: 1,
				model,
				choices: [{ index: 0, delta, finish_reason: finish }],
			},
		});
		return [
			chunk({ role: "assistant", content: "" }),
			...(said.thought === null ? [] : [chunk({ reasoning_content: said.thought })]),
			...(said.text === null ? [] : [chunk({ content: said.text })]),
			...callsOf(said, n).map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
			chunk({}, finishOf(said)),
			{ data: { id: `chat_${n}`, object: "chat.completion.chunk", created: 1, model, choices: [], usage: tokens } },
			{ data: "[DONE]" },
		];
	},
	whole: (said, { model, n }) => ({
		...{ id: `chat_${n}`, object: "chat.completion", created: 1, model, usage: tokens },
		choices: [
			{
				index: 0,
				finish_reason: finishOf(said),
				message: { role: "assistant", content: said.text, tool_calls: callsOf(said, n) },
			},
		],
	}),
	failure: ({ code, message }) => ({ error: { type: code, code, message } }),
};

const tokens = {
	prompt_tokens: usage.input,
	completion_tokens: usage.output,
	total_tokens: usage.input + usage.output,
};

const finishOf = ({ calls }: Said): string => (calls.length > 0 ? "tool_calls" : "stop");

const callsOf = ({ calls }: Said, n: number): object[] =>
	calls.map(({ name, input }, at) => ({
		id: `call_${n}_${at}`,
		type: "function",
		function: { name, arguments: JSON.stringify(input) },
	}));
