// The API client: calls the contract's routes and follows the event stream. Runs in Node and in a browser.
import type { z } from "zod";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Call, RouteName, Routes } from "#contract/routes.ts";
import type { StreamMessage } from "#contract/stream.ts";
import type { Item } from "#contract/wire.ts";
import { routePaths } from "./route-paths.ts";

type InputOf<N extends RouteName, K extends "query" | "body"> = Routes[N] extends {
	[P in K]: infer S extends z.ZodType;
}
	? z.input<S>
	: never;

export interface Input<N extends RouteName> {
	params?: Readonly<Record<string, string>>;
	query?: InputOf<N, "query">;
	body?: InputOf<N, "body">;
	/** sent along so that a retry never doubles an effect */
	key?: string;
}

export type Answer<N extends RouteName> = z.infer<Routes[N]["answer"]>;

/** The daemon said no. */
export class Refused extends Error {
	override readonly name = "Refused";
	readonly refusal: Refusal;
	constructor(refusal: Refusal) {
		super(refusal.message);
		this.refusal = refusal;
	}
}

export interface Sent {
	ok: boolean;
	text(): Promise<string>;
	/** as it comes, for an answer that does not end */
	chunks: AsyncIterable<Uint8Array>;
}

/**
 * How a request is sent. A browser has `fetch`; a command line has something that loads faster and knows whom it talks
 * to.
 */
export type Send = (
	url: string,
	request: { method: string; headers: Record<string, string>; body?: string; signal?: AbortSignal },
) => Promise<Sent>;

export const fromResponse = (response: Response): Sent => ({
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

export class Client {
	#at: Address;
	readonly #send: Send;
	/** where the daemon is now, if that can be told: the next one may have another port */
	readonly #find: () => Address | null;

	constructor(at: Address, send: Send = fetched, find: () => Address | null = () => null) {
		this.#at = at;
		this.#send = send;
		this.#find = find;
	}

	async call<N extends RouteName>(name: N, input: Input<N> = {}): Promise<Answer<N>> {
		return await this.ask(name, input);
	}

	/** The same for a route that is only known when it is asked for; the daemon checks what it is given. */
	async ask<N extends RouteName>(
		name: N,
		input: { params?: Readonly<Record<string, string>>; query?: unknown; body?: unknown; key?: string },
	): Promise<Answer<N>> {
		const [method = "", path = ""] = routePaths[name].split(" ");
		const nameless = Object.entries(input.params ?? {}).find(([, value]) => value === "");
		if (nameless !== undefined)
			throw new Refused(refuse("VALIDATION_ERROR", `The name of the ${nameless[0]} is empty.`));
		const sent = await this.#send(this.#at.url + pathOf(path, input.params ?? {}) + queryOf(input.query), {
			method,
			headers: {
				authorization: `Bearer ${this.#at.token}`,
				...(input.body !== undefined && { "content-type": "application/json" }),
				...(input.key !== undefined && { "idempotency-key": input.key }),
			},
			...(input.body !== undefined && { body: JSON.stringify(input.body) }),
		});
		const { data, error } = JSON.parse(await sent.text());
		if (error === undefined) return data;
		if (error.code === "UNAUTHORIZED" && this.#hasNewToken()) return await this.ask(name, input);
		throw new Refused(error);
	}

	/** The token was replaced meanwhile; what was asked with the old one had no effect. */
	#hasNewToken(): boolean {
		const found = this.#find();
		if (found === null || found.token === this.#at.token) return false;
		this.#at = found;
		return true;
	}

	/** The same with a refusal as the value that it is. */
	readonly callOrRefusal: Call = async (name, input) => {
		try {
			return await this.ask(name, input);
		} catch (error) {
			if (error instanceof Refused) return error.refusal;
			throw error;
		}
	};

	/**
	 * Every event after the given one that is asked for, for ever; a broken line is picked up again where it broke, once
	 * `mend` has done what it can.
	 */
	async *events(
		after: number,
		signal: AbortSignal,
		mend: () => Promise<unknown> = async () => {},
		wanted: Watched = {},
	): AsyncGenerator<Item> {
		for await (const message of this.follow({ ...wanted, after }, signal, mend))
			if ("event" in message) yield message.event;
	}

	/** The same with everything else that the stream says: deltas, how far it is, and that the line broke. */
	async *follow(
		wanted: Watched & { after: number },
		signal: AbortSignal,
		mend: () => Promise<unknown> = async () => {},
	): AsyncGenerator<Followed> {
		for (let { after } = wanted; !signal.aborted; ) {
			try {
				for await (const message of this.stream({ ...wanted, after }, signal)) {
					yield message;
					if ("event" in message) after = message.event.id;
					if ("at" in message) after = message.at;
				}
			} catch (error) {
				if (error instanceof Refused) throw error;
			}
			if (signal.aborted) return;
			yield { lost: after };
			await new Promise((resume) => setTimeout(resume, 250));
			await mend();
			this.findAgain();
		}
	}

	/** The daemon may be another one by now, elsewhere. */
	findAgain(): void {
		this.#at = this.#find() ?? this.#at;
	}

	/** One stream, until it ends. */
	async *stream(query: Watched & { after: number }, signal: AbortSignal): AsyncGenerator<StreamMessage> {
		const headers = { authorization: `Bearer ${this.#at.token}` };
		const response = await this.#send(`${this.#at.url}/api/events${queryOf(query)}`, {
			method: "GET",
			headers,
			signal,
		});
		if (!response.ok) throw new Refused(JSON.parse(await response.text()).error);
		const decoder = new TextDecoder();
		let text = "";
		for await (const chunk of response.chunks) {
			const parts = (text + decoder.decode(chunk, { stream: true })).split("\n\n");
			text = parts.pop() ?? "";
			for (const part of parts) {
				const message = messageIn(part);
				if (message !== null) yield message;
			}
		}
	}
}

/** What a reader of the stream asks for; see `StreamQuery`. */
export interface Watched {
	deltas?: boolean | undefined;
	agent?: string | undefined;
	project?: string | undefined;
	kind?: string | undefined;
	threads?: string | undefined;
}

/** `lost`: the line broke behind this event; it is picked up again. */
export type Followed = StreamMessage | { lost: number };

/** Null for comments, and for kinds of messages that this version does not know. */
function messageIn(part: string): StreamMessage | null {
	const [, kind = "event", data] = /^(?:id: \d+\n)?(?:event: (\w+)\n)?data: (.*)$/s.exec(part) ?? [];
	if (data === undefined) return null;
	switch (kind) {
		case "event":
			return { event: JSON.parse(data) };
		case "delta":
			return { delta: JSON.parse(data) };
		case "at":
			return { at: Number(data) };
		case "unjournaled":
			return { unjournaled: JSON.parse(data) };
		case "cut":
			return { cut: JSON.parse(data).after };
		default:
			return null;
	}
}

function pathOf(path: string, params: Readonly<Record<string, string>>): string {
	return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}

function queryOf(query: unknown): string {
	const entries = Object.entries(Object(query ?? {})).flatMap(([name, value]) =>
		value === undefined ? [] : [[name, String(value)]],
	);
	return entries.length === 0 ? "" : `?${new URLSearchParams(entries)}`;
}
