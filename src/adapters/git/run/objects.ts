// Reads objects: any number, in any number of steps, by one process.
import { PassThrough } from "node:stream";
import type { Git } from "./git.ts";

export interface ReadObject {
	id: string;
	bytes: Buffer;
}

/** In the order asked for, null for what does not exist. Names must not contain newlines. One call at a time. */
export type ReadObjects = (names: readonly string[]) => Promise<(ReadObject | null)[]>;

/** Objects that are asked for all at once. */
export async function readObjects(git: Git, folder: string, names: readonly string[]): Promise<(ReadObject | null)[]> {
	return names.length === 0 ? [] : await withObjects(git, folder, async (read) => await read(names));
}

/** Runs `work` with a process that reads what it asks for. */
export async function withObjects<T>(git: Git, folder: string, work: (read: ReadObjects) => Promise<T>): Promise<T> {
	const input = new PassThrough();
	const answers = new Answers();
	const ran = git(folder, ["cat-file", "--batch"], { input, sink: async (chunk) => answers.put(chunk) });
	const failed = ran.then((): never => {
		throw new Error("git cat-file ended before it was told to");
	});
	try {
		return await Promise.race([
			failed,
			work(async (names) => {
				if (names.length === 0) return [];
				const wanted = answers.expect(names.length);
				input.write(names.map((name) => `${name}\n`).join(""));
				return await Promise.race([failed, wanted]);
			}),
		]);
	} finally {
		input.end();
		await ran;
	}
}

/** Cuts the output of `cat-file --batch` into objects. */
class Answers {
	#chunks: Buffer[] = [];
	#length = 0;
	/** bytes that the next object needs, as far as that is known */
	#needed = 1;
	#found: (ReadObject | null)[] = [];
	#wanted = 0;
	#done: ((found: (ReadObject | null)[]) => void) | null = null;

	async expect(count: number): Promise<(ReadObject | null)[]> {
		this.#found = [];
		this.#wanted = count;
		return await new Promise((resolve) => {
			this.#done = resolve;
		});
	}

	put(chunk: Buffer): void {
		this.#chunks.push(chunk);
		this.#length += chunk.length;
		if (this.#length < this.#needed) return;
		const bytes = Buffer.concat(this.#chunks);
		const at = this.#cut(bytes);
		this.#chunks = [bytes.subarray(at)];
		this.#length = bytes.length - at;
		if (this.#found.length === this.#wanted) this.#done?.(this.#found);
	}

	/** Returns where the first object begins that is not whole yet. */
	#cut(bytes: Buffer): number {
		let at = 0;
		this.#needed = 1;
		while (at < bytes.length) {
			const end = bytes.indexOf("\n", at);
			if (end < 0) break;
			const [, id, length] = /^(\w+) \w+ (\d+)$/.exec(bytes.toString("latin1", at, end)) ?? [];
			const next = end + 1 + (id === undefined ? 0 : Number(length) + 1);
			if (next > bytes.length) {
				this.#needed = next - at;
				break;
			}
			this.#found.push(id === undefined ? null : { id, bytes: bytes.subarray(end + 1, next - 1) });
			at = next;
		}
		return at;
	}
}
