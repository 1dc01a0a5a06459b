// The connection to an agent's program: one JSON message per line, both ways.
//
// Memory is bounded, whatever a program sends. A line has a maximum size; lines are read no faster than they are
// processed, and at a limited rate; requests of a program that does not read its answers are not read either; invalid
// messages are dropped and reported. A flood waits in the program's own pipe.
import type { Readable } from "node:stream";
import { Writable } from "node:stream";
import { setTimeout as pause, setImmediate as yieldToLoop } from "node:timers/promises";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk/unstable";
import { messageOf } from "#contract/message-of.ts";

export interface LineHandlers {
	/** resolves when more can be taken */
	drained(): Promise<void>;
	/** an invalid message was dropped */
	bad(what: string): void;
	/** the connection failed */
	broken(why: string): void;
}

/** Larger than any message of vendors' programs, images included. */
export const lineBytesMax = 16 * 1024 * 1024;
/** requests of the program without an answer, or with one that it has not read */
const requestsMax = 256;

export function messageStream(stdin: Writable, stdout: Readable, handlers: LineHandlers): Stream {
	const asked = new Set<unknown>();
	const requests = new Requests();
	const writer = Writable.toWeb(stdin).getWriter();
	const writable = new WritableStream<AnyMessage>({
		async write(message) {
			const isRequest = "method" in message;
			if (isRequest && "id" in message) asked.add(message.id);
			await writer.write(Buffer.from(`${JSON.stringify(message)}\n`));
			if (!isRequest && "id" in message) requests.answered();
		},
	});
	return { readable: ReadableStream.from(received(stdout, { asked, requests, handlers })), writable };
}

async function* received(
	stdout: Readable,
	{ asked, requests, handlers }: { asked: Set<unknown>; requests: Requests; handlers: LineHandlers },
): AsyncGenerator<AnyMessage> {
	const pace = new Pace();
	try {
		for await (const line of linesOf(stdout)) {
			await pace.take(line.length);
			await handlers.drained();
			const message = parsed(line);
			if (message === null) continue;
			if (typeof message === "string") handlers.bad(message);
			else if ("method" in message) {
				if ("id" in message) await requests.take();
				yield message;
			} else if (asked.delete(message.id)) yield message;
			else handlers.bad("an answer to nothing that was asked");
		}
	} catch (error) {
		handlers.broken(messageOf(error));
		throw error;
	}
}

/** Null for an empty line; a sentence for an invalid one. */
function parsed(line: Buffer): AnyMessage | string | null {
	const text = line.toString("utf8").trim();
	if (text === "") return null;
	try {
		const message: unknown = JSON.parse(text);
		return isMessage(message) ? message : "JSON that is not a message";
	} catch {
		return "a line that is not JSON";
	}
}

function isMessage(value: unknown): value is AnyMessage {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
	const [method, id]: unknown[] = [Reflect.get(value, "method"), Reflect.get(value, "id")];
	if (id !== undefined && id !== null && typeof id !== "string" && typeof id !== "number") return false;
	if ("method" in value) return typeof method === "string";
	return "id" in value && "result" in value !== "error" in value;
}

async function* linesOf(stdout: Readable): AsyncGenerator<Buffer> {
	let parts: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of stdout) {
		let rest: Buffer = chunk;
		for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
			yield parts.length === 0 ? rest.subarray(0, end) : Buffer.concat([...parts, rest.subarray(0, end)]);
			[parts, bytes, rest] = [[], 0, rest.subarray(end + 1)];
		}
		if (rest.length > 0) parts.push(rest);
		bytes += rest.length;
		if (bytes > lineBytesMax) throw new Error(`it sent a message of more than ${lineBytesMax / 1024 / 1024} MiB`);
	}
	if (bytes > 0) yield Buffer.concat(parts);
}

/** Limits the open requests of the program. */
class Requests {
	#open = 0;
	#wake = Promise.withResolvers<void>();

	async take(): Promise<void> {
		while (this.#open >= requestsMax) await this.#wake.promise;
		this.#open++;
	}

	answered(): void {
		this.#open--;
		this.#wake.resolve();
		this.#wake = Promise.withResolvers();
	}
}

const burst = { bytes: 64 * 1024 * 1024, messages: 20_000 };
const perMs = { bytes: 8 * 1024, messages: 3 };
/** after this time it yields to other work */
const sliceMs = 5;

/** A token bucket: a burst, then a steady rate. */
class Pace {
	readonly #left = { ...burst };
	#at = performance.now();
	#since = this.#at;

	async take(bytes: number): Promise<void> {
		const now = performance.now();
		for (const what of ["bytes", "messages"] as const)
			this.#left[what] = Math.min(burst[what], this.#left[what] + (now - this.#at) * perMs[what]);
		this.#at = now;
		this.#left.bytes -= bytes;
		this.#left.messages -= 1;
		const waitMs = Math.max(-this.#left.bytes / perMs.bytes, -this.#left.messages / perMs.messages);
		if (waitMs > 0) await pause(waitMs, undefined, { ref: false });
		else if (now - this.#since > sliceMs) await yieldToLoop();
		else return;
		this.#since = performance.now();
	}
}
