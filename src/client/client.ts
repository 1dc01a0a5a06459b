// The API client: calls the contract's routes and follows the event stream. Runs in Node and in a browser.
import { propertiesOf, type Refusal, refuse } from "#contract/refusal.ts";
import type { AnswerOf, CallRoute, RouteName } from "#contract/routes.ts";
import type { StreamMessage } from "#contract/stream.ts";
import type { WireEvent } from "#contract/wire.ts";
import type { AnyInput, Input } from "./input.ts";
import { routePaths } from "./route-paths.ts";
import { endWith, messageIn } from "./stream-text.ts";
import { StreamTimeout } from "./stream-timeout.ts";

/** A refusal, as an exception. */
export class Refused extends Error {
	override readonly name = "Refused";
	readonly refusal: Refusal;
	constructor(refusal: Refusal) {
		super(refusal.message);
		this.refusal = refusal;
	}

	/** The same request would be refused again. */
	get isForGood(): boolean {
		return !propertiesOf(this.refusal.code).retryable;
	}
}

export interface Received {
	ok: boolean;
	text(): Promise<string>;
	/** the body as it arrives, for a stream */
	chunks: AsyncIterable<Uint8Array>;
}

export interface SentRequest {
	method: string;
	headers: Record<string, string>;
	body?: string;
	signal?: AbortSignal;
}

/**
 * How a request is sent. Browsers have `fetch`; the command line uses something that loads faster and authenticates the
 * daemon.
 */
export type Send = (url: string, request: SentRequest) => Promise<Received>;

export const fromResponse = (response: Response): Received => ({
	ok: response.ok,
	text: () => response.text(),
	chunks: response.body ?? nothing(),
});

async function* nothing(): AsyncGenerator<never> {}

const fetched: Send = async (url, request) => fromResponse(await fetch(url, request));

export interface Address {
	url: string;
	token: string;
}

/** A page of the daemon: the browser adds its cookie, the page its own headers. */
export interface PageAddress {
	url: string;
	headers(): Record<string, string>;
}

const credentialsOf = (at: Address | PageAddress): Record<string, string> =>
	"token" in at ? { authorization: `Bearer ${at.token}` } : at.headers();

/** a request that breaks more often than this is not broken by restarts */
const reconnectsMax = 3;

/** What a client does about a daemon that is restarted. */
export interface Restarts {
	/** finds the daemon again, if possible: it may have another port and another token */
	find?: () => Address | null;
	/** finds a daemon that answers, or null; a request whose connection broke is sent to it once more */
	reconnect?: () => Promise<Client | null>;
}

export class Client {
	#at: Address | PageAddress;
	#send: Send;
	readonly #find: () => Address | null;
	readonly #reconnect: Restarts["reconnect"];

	constructor(at: Address | PageAddress, send: Send = fetched, { find = () => null, reconnect }: Restarts = {}) {
		this.#at = at;
		this.#send = send;
		this.#find = find;
		this.#reconnect = reconnect;
	}

	async call<N extends RouteName>(name: N, input: Input<N> = {}): Promise<AnswerOf<N>> {
		return await this.ask(name, input);
	}

	/** Like `call`, for a route or an input that is only known at run time; the daemon validates the input. */
	async ask<N extends RouteName>(name: N, input: AnyInput): Promise<AnswerOf<N>> {
		const { data, next } = await this.#answer(name, input);
		// follow the pages of a long list, unless the caller set a limit
		const paged = "limit" in Object(input.query);
		for (let after = paged ? null : next; typeof after === "number"; ) {
			const more = await this.#answer(name, { ...input, query: { ...Object(input.query), after } });
			data.push(...more.data);
			after = more.next;
		}
		return data;
	}

	// biome-ignore lint/suspicious/noExplicitAny: the daemon answers what the route says
	async #answer(name: RouteName, input: AnyInput): Promise<{ data: any; next?: number | null }> {
		const [method = "", path = ""] = routePaths[name].split(" ");
		const nameless = Object.entries(input.params ?? {}).find(([, value]) => value === "");
		if (nameless !== undefined)
			throw new Refused(refuse("VALIDATION_ERROR", `The name of the ${nameless[0]} is empty.`));
		const ask = async (): Promise<string> => {
			const sent = await this.#send(this.#at.url + pathOf(path, input.params ?? {}) + queryString(input.query), {
				method,
				headers: {
					...credentialsOf(this.#at),
					...(input.body !== undefined && { "content-type": "application/json" }),
					...(input.key !== undefined && { "idempotency-key": input.key }),
				},
				...(input.body !== undefined && { body: JSON.stringify(input.body) }),
				...(input.signal !== undefined && { signal: input.signal }),
			});
			return await sent.text();
		};
		const isRepeatable = method === "GET" || input.key !== undefined;
		const { error, ...answer } = JSON.parse(await (isRepeatable ? this.#overRestarts(ask, input.signal) : ask()));
		if (error === undefined) return answer;
		if (error.code === "UNAUTHORIZED" && this.#hasNewToken()) return await this.#answer(name, input);
		throw new Refused(error);
	}

	/** The daemon may be replaced while it answers; its successor knows the request by its key. */
	async #overRestarts<T>(ask: () => Promise<T>, givenUp?: AbortSignal): Promise<T> {
		for (let again = 0; ; again++) {
			try {
				return await ask();
			} catch (error) {
				if (error instanceof Refused || givenUp?.aborted || this.#reconnect === undefined || again === reconnectsMax)
					throw error;
				const found = await this.#reconnect();
				if (found === null) throw error;
				[this.#at, this.#send] = [found.#at, found.#send];
			}
		}
	}

	/** Whether the token was replaced meanwhile. A request with the old one had no effect, so it may be sent again. */
	#hasNewToken(): boolean {
		const found = this.#find();
		if (found === null || ("token" in this.#at && found.token === this.#at.token)) return false;
		this.#at = found;
		return true;
	}

	/** Like `call`, but answers a refusal instead of throwing it. */
	readonly callOrRefusal: CallRoute = async (name, input) => {
		try {
			return await this.ask(name, input);
		} catch (error) {
			if (error instanceof Refused) return error.refusal;
			throw error;
		}
	};

	/**
	 * Every event after the given one, for ever. Reconnects where the connection broke, after calling `beforeReconnect`.
	 */
	async *events(
		after: number,
		signal: AbortSignal,
		beforeReconnect: () => Promise<unknown> = async () => {},
	): AsyncGenerator<WireEvent> {
		for await (const message of this.follow({ after }, signal, beforeReconnect))
			if ("event" in message) yield message.event;
	}

	/** The same, with the other messages of the stream: deltas, how far the reader is, and that the connection broke. */
	async *follow(
		wanted: StreamRequest & { after: number },
		signal: AbortSignal,
		beforeReconnect: () => Promise<unknown> = async () => {},
	): AsyncGenerator<FollowedMessage> {
		let hasBegun = false;
		for (let { after } = wanted; !signal.aborted; ) {
			try {
				for await (const message of this.stream({ ...wanted, after }, signal)) {
					hasBegun = true;
					yield message;
					if ("event" in message) after = message.event.id;
					if ("upTo" in message) after = message.upTo;
				}
			} catch (error) {
				// what passes by itself ends no reader that has begun
				if (error instanceof Refused && (error.isForGood || !hasBegun)) throw error;
			}
			if (signal.aborted) return;
			yield { lost: after };
			await new Promise((resume) => setTimeout(resume, 250));
			await beforeReconnect();
			this.findAgain();
		}
	}

	/** Finds the daemon again: it may have been restarted on another port. */
	findAgain(): void {
		this.#at = this.#find() ?? this.#at;
	}

	/** One connection, until it ends. */
	async *stream(query: StreamRequest & { after: number }, signal: AbortSignal): AsyncGenerator<StreamMessage> {
		const timeout = new StreamTimeout(signal);
		const response = await timeout.within(
			this.#send(`${this.#at.url}/api/events${queryString(query)}`, {
				method: "GET",
				headers: credentialsOf(this.#at),
				signal: timeout.signal,
			}),
		);
		if (!response.ok) throw new Refused(JSON.parse(await response.text()).error);
		const decoder = new TextDecoder();
		let text = "";
		for await (const chunk of timeout.chunks(response.chunks)) {
			const parts = (text + decoder.decode(chunk, { stream: true })).split("\n\n");
			text = parts.pop() ?? "";
			for (const part of parts) {
				const message = messageIn(part);
				if (message !== null) yield message;
			}
		}
		endWith(text);
	}
}

/** The stream's filter; see `StreamQuery`. */
export interface StreamRequest {
	deltas?: boolean | undefined;
	agent?: string | undefined;
	project?: string | undefined;
	kind?: string | undefined;
	threads?: string | undefined;
}

/** `lost`: the connection broke after this event; the client reconnects. */
export type FollowedMessage = StreamMessage | { lost: number };

function pathOf(path: string, params: Readonly<Record<string, string>>): string {
	return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}

function queryString(query: unknown): string {
	const entries = Object.entries(Object(query ?? {})).flatMap(([name, value]) =>
		value === undefined ? [] : [[name, String(value)]],
	);
	return entries.length === 0 ? "" : `?${new URLSearchParams(entries)}`;
}
