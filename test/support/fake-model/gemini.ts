// Google's generateContent, in one part or streamed.
import { field, filled, type Said, usage, type Wire } from "./answer.ts";

export const gemini: Wire = {
	name: "gemini",
	asks: ({ pathname }) => /:(stream)?generateContent$/i.test(pathname),
	offersTools: (body) => filled(field(body, "tools")),
	model: (_, { pathname }) => /models\/([^:]+):/.exec(pathname)?.[1] ?? "unknown",
	stream: (said, about) => [{ data: whole(said, about) }],
	whole,
	failure: ({ status, code, message }) => ({
		error: { code: status, status: code, message, details: status === 429 ? dayIsOver : [] },
	}),
};

/** What is used up for the day is not tried again. */
const dayIsOver = [
	{
		"@type": "type.googleapis.com/google.rpc.QuotaFailure",
		violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel" }],
	},
];

function whole({ text, thought, calls }: Said, { model }: { model: string }): object {
	const parts = [
		...(thought === null ? [] : [{ text: thought, thought: true }]),
		...(text === null ? [] : [{ text }]),
		...calls.map(({ name, input }) => ({ functionCall: { name, args: input } })),
	];
	return {
		candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
		usageMetadata: {
			promptTokenCount: usage.input,
			candidatesTokenCount: usage.output,
			totalTokenCount: usage.input + usage.output,
		},
		modelVersion: model,
	};
}
