// A model that says what the test wants, in the words of whoever asks: Messages, Responses, chat completions or Gemini.
// It listens on the loopback only, and writes down what it was asked.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import type { Answer, Said, Wire } from "./answer.ts";
import { anthropic } from "./anthropic.ts";
import { chat } from "./chat.ts";
import { gemini } from "./gemini.ts";
import { responses } from "./responses.ts";

const wires: readonly Wire[] = [anthropic, responses, chat, gemini];

export interface Request {
	wire: Wire["name"];
	/** the whole of it, to look for words in */
	text: string;
	body: object;
	/** what does not offer tools is a side call and takes no answer from the script */
	side: boolean;
	/** settles when the caller has gone away or the answer was sent */
	over: Promise<"gone" | "answered">;
}

export class FakeModel implements AsyncDisposable {
	readonly url: string;
	/** in the order in which they came, without side calls */
	readonly requests: Request[] = [];
	/** whatever was asked for that is not a model's */
	readonly strange: string[] = [];
	readonly #server: Server;
	readonly #script: Answer[] = [];
	#count = 0;
	#news = Promise.withResolvers<void>();

	static async start(): Promise<FakeModel> {
		const server = createServer();
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		const address = server.address();
		return new FakeModel(server, typeof address === "object" && address !== null ? address.port : 0);
	}

	private constructor(server: Server, port: number) {
		this.#server = server;
		this.url = `http://127.0.0.1:${port}`;
		server.on("request", (request, response) => {
			void this.#serve(request, response).catch(() => response.destroy());
		});
	}

	/** What it says next, one answer for each request that it is for; with none left it says "done". */
	say(...answers: readonly Answer[]): void {
		this.#script.push(...answers);
	}

	/** Forgets what is left to say and what was asked. */
	reset(): void {
		this.#script.length = 0;
		this.requests.length = 0;
	}

	/** The nth request since the last reset, once it is there. */
	async asked(n: number): Promise<Request> {
		const tooLong = AbortSignal.timeout(45_000);
		const given = new Promise<never>((_, reject) =>
			tooLong.addEventListener("abort", () => reject(new Error(`the model was never asked for the ${n + 1}th time`))),
		);
		for (;;) {
			const request = this.requests[n];
			if (request !== undefined) return request;
			await Promise.race([this.#news.promise, given]);
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#server.closeAllConnections();
		await new Promise((resolve) => this.#server.close(resolve));
	}

	async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const url = new URL(request.url ?? "/", this.url);
		const wire = wires.find((each) => each.asks(url));
		if (request.method !== "POST" || wire === undefined) {
			this.strange.push(`${request.method} ${url.pathname}`);
			return void response
				.writeHead(request.method === "POST" ? 404 : 200, { "content-type": "application/json" })
				.end("{}");
		}
		const body = Object(await json(request));
		const side = !wire.offersTools(body);
		const over = Promise.withResolvers<"gone" | "answered">();
		response.once("close", () => over.resolve(response.writableFinished ? "answered" : "gone"));
		const text = JSON.stringify(body);
		const answer = (side ? undefined : this.#next(text)) ?? { text: "done" };
		if (!side) {
			this.requests.push({ wire: wire.name, text, body, side, over: over.promise });
			this.#news.resolve();
			this.#news = Promise.withResolvers();
		}
		this.#answer(wire, answer, { response, url, body });
	}

	#next(asked: string): Answer | undefined {
		const at = this.#script.findIndex(({ to }) => to === undefined || asked.includes(to));
		return at < 0 ? undefined : this.#script.splice(at, 1)[0];
	}

	#answer(
		wire: Wire,
		answer: Answer,
		{ response, url, body }: { response: ServerResponse; url: URL; body: object },
	): void {
		if ("status" in answer) {
			const { status, headers = {}, code = "error", message = "no" } = answer;
			return void response
				.writeHead(status, { "content-type": "application/json", ...headers })
				.end(JSON.stringify(wire.failure({ status, code, message })));
		}
		const about = { model: wire.model(body, url), n: ++this.#count };
		const streamed = Reflect.get(body, "stream") === true || url.pathname.includes("streamGenerate");
		if ("hang" in answer) {
			if (!streamed || answer.text === undefined) return;
			// all but the pieces that end it
			const pieces = wire.stream(saidOf(answer), about);
			response.writeHead(200, streaming);
			for (const piece of pieces.slice(0, wire.name === "anthropic" ? 3 : 2)) response.write(written(piece));
			return;
		}
		const said = saidOf(answer);
		if (!streamed)
			return void response
				.writeHead(200, { "content-type": "application/json" })
				.end(JSON.stringify(wire.whole(said, about)));
		response.writeHead(200, streaming);
		for (const piece of wire.stream(said, about)) response.write(written(piece));
		response.end();
	}
}

const streaming = { "content-type": "text/event-stream", "cache-control": "no-cache" };

const saidOf = ({ text, thought, calls = [] }: { text?: string; thought?: string; calls?: Said["calls"] }): Said => ({
	text: text ?? null,
	thought: thought ?? null,
	calls,
});

const written = ({ event, data }: { event?: string; data: unknown }): string =>
	`${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
