// The line to an agent's program: one JSON message on each line, both ways.
//
// Nothing that a program sends makes the daemon pay for more than it sent. A line has a largest size; lines are read no
// faster than what they said is taken in, and than a steady pace; a program that asks and does not read the answers is
// not listened to until it does; what is no message is left out and told of. So memory is bounded, and a flood waits in
// the program's own pipe.
import type { Readable } from "node:stream";
import { Writable } from "node:stream";
import { setImmediate as others, setTimeout as pause } from "node:timers/promises";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk/unstable";

export interface LineHandlers {
	/** resolves when more may be said */
	drained(): Promise<void>;
	/** something was sent that is no message */
	bad(what: string): void;
	/** the line cannot be used any more */
	broken(why: string): void;
}

/** Larger than everything that vendors' programs send, pictures included. */
export const lineBytesMax = 16 * 1024 * 1024;
/** requests of the program that were not answered yet, or whose answers it has not read */
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
		handlers.broken(error instanceof Error ? error.message : String(error));
		throw error;
	}
}

/** Null for an empty line; a sentence for one that is no message. */
function parsed(line: Buffer): AnyMessage | string | null {
	const text = line.toString("utf8").trim();
	if (text === "") return null;
	try {
		const message: unknown = JSON.parse(text);
		return isMessage(message) ? message : "JSON that is no message";
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

/** How many requests of the program are open. */
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

const atOnce = { bytes: 64 * 1024 * 1024, messages: 20_000 };
const perMs = { bytes: 8 * 1024, messages: 3 };
/** as long as this nobody else gets a turn */
const greedMs = 5;

/** Much at once, then so much in each second. */
class Pace {
	readonly #left = { ...atOnce };
	#at = performance.now();
	#since = this.#at;

	async take(bytes: number): Promise<void> {
		const now = performance.now();
		for (const what of ["bytes", "messages"] as const)
			this.#left[what] = Math.min(atOnce[what], this.#left[what] + (now - this.#at) * perMs[what]);
		this.#at = now;
		this.#left.bytes -= bytes;
		this.#left.messages -= 1;
		const waitMs = Math.max(-this.#left.bytes / perMs.bytes, -this.#left.messages / perMs.messages);
		if (waitMs > 0) await pause(waitMs, undefined, { ref: false });
		else if (now - this.#since > greedMs) await others();
		else return;
		this.#since = performance.now();
	}
}
