// A provider on loopback that says what a test wants: Anthropic's Messages, chat completions and Gemini, all as
// streams. It keeps every request, byte by byte.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface Reply {
	text?: string;
	calls?: { name: string; input: object }[];
	/** an error instead */
	status?: number;
	headers?: Record<string, string>;
	/** says its text and then nothing more */
	hangs?: true;
}

export interface Asked {
	path: string;
	/** as it came over the wire */
	body: string;
	/** what the last message says, whatever its shape */
	last: string;
}

export interface FakeProvider extends AsyncDisposable {
	readonly url: string;
	readonly requests: Asked[];
	/** how many readers left in the middle of an answer */
	readonly hungUp: number;
	/** what is answered from now on */
	answer: (asked: Asked) => Reply;
}

export async function fakeProvider(): Promise<FakeProvider> {
	const requests: Asked[] = [];
	let calls = 0;
	const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
		let body = "";
		for await (const chunk of request) body += chunk;
		const asked = { path: request.url ?? "", body, last: JSON.stringify(conversationIn(body).at(-1)) };
		requests.push(asked);
		const reply = fake.answer(asked);
		if (reply.status !== undefined) {
			response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
			response.end(JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "busy" } }));
			return;
		}
		response.writeHead(200, { "content-type": "text/event-stream" });
		response.once("close", () => {
			if (!response.writableFinished) fake.hungUp++;
		});
		const named = (reply.calls ?? []).map((call) => ({ ...call, id: `c${++calls}` }));
		const format = asked.path.endsWith("/messages")
			? anthropic
			: asked.path.includes(":streamGenerateContent")
				? gemini
				: chat;
		const pieces = format(reply, named);
		await stream(response, pieces, reply.hangs === true);
	};
	const server = createServer((request, response) => void serve(request, response));
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	const fake = {
		url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
		requests,
		hungUp: 0,
		answer: (_: Asked): Reply => ({ text: "ok" }),
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
	return fake;
}

/** What was said so far, wherever the format has it. */
export function conversationIn(body: string) {
	const { messages, contents } = JSON.parse(body);
	return messages ?? contents;
}

interface Piece {
	/** what comes before the end */
	opening: string[];
	closing: string[];
}

async function stream(response: ServerResponse, { opening, closing }: Piece, hangs: boolean): Promise<void> {
	for (const line of opening) {
		response.write(line);
		await new Promise((resume) => setImmediate(resume));
	}
	if (!hangs) response.end(closing.join(""));
}

/** In halves, so that there is something to put together. */
const halves = (text: string): string[] => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

type Named = readonly { id: string; name: string; input: object }[];

function anthropic({ text, hangs }: Reply, calls: Named): Piece {
	const event = (type: string, data: object): string =>
		`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
	const block = (index: number, start: object, deltas: object[]): string[] => [
		event("content_block_start", { index, content_block: start }),
		...deltas.map((delta) => event("content_block_delta", { index, delta })),
		...(hangs ? [] : [event("content_block_stop", { index })]),
	];
	const usage = { input_tokens: 100, output_tokens: 1, cache_read_input_tokens: 40, cache_creation_input_tokens: 0 };
	const said = text === undefined ? [] : [text];
	return {
		opening: [
			event("message_start", {
				message: {
					id: "m",
					type: "message",
					role: "assistant",
					model: "fake",
					content: [],
					stop_reason: null,
					stop_sequence: null,
					usage,
				},
			}),
			...said.flatMap((words) =>
				block(
					0,
					{ type: "text", text: "" },
					halves(words).map((half) => ({ type: "text_delta", text: half })),
				),
			),
			...calls.flatMap(({ id, name, input }, at) =>
				block(
					said.length + at,
					{ type: "tool_use", id, name, input: {} },
					halves(JSON.stringify(input)).map((half) => ({ type: "input_json_delta", partial_json: half })),
				),
			),
		],
		closing: [
			event("message_delta", {
				delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null },
				usage: { output_tokens: 20 },
			}),
			event("message_stop", {}),
		],
	};
}

function chat({ text }: Reply, calls: Named): Piece {
	const chunk = { id: "x", object: "chat.completion.chunk", created: 1, model: "fake" };
	const data = (delta: object, more: object = {}): string =>
		`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`;
	const finish = [{ index: 0, delta: {}, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }];
	return {
		opening: [
			data({ role: "assistant", content: "" }),
			...(text === undefined ? [] : halves(text).map((content) => data({ content }))),
			...calls.map(({ id, name, input }, index) =>
				data({ tool_calls: [{ index, id, type: "function", function: { name, arguments: JSON.stringify(input) } }] }),
			),
		],
		closing: [
			data({}, { choices: finish }),
			data({}, { choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } }),
			"data: [DONE]\n\n",
		],
	};
}

function gemini({ text }: Reply, calls: Named): Piece {
	const data = (parts: object[], more: object = {}): string =>
		`data: ${JSON.stringify({ candidates: [{ index: 0, content: { role: "model", parts }, ...more }], modelVersion: "fake" })}\n\n`;
	const usageMetadata = {
		promptTokenCount: 100,
		candidatesTokenCount: 20,
		totalTokenCount: 120,
		cachedContentTokenCount: 40,
	};
	return {
		opening: [
			...(text === undefined ? [] : halves(text).map((half) => data([{ text: half }]))),
			...calls.map(({ name, input }) => data([{ functionCall: { name, args: input } }])),
		],
		closing: [data([], { finishReason: "STOP" }), `data: ${JSON.stringify({ candidates: [], usageMetadata })}\n\n`],
	};
}
