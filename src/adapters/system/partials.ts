// What open tool calls have put out so far, and what has been said of a message, a file for each turn: replaced as
// there is more, gone with the turn.
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { PartialOutputs } from "#contract/turn.ts";
import type { Partials } from "#engine/ports/blobs.ts";

export function partialsIn(folder: string): Partials {
	const fileOf = (turn: number): string => path.join(folder, `${turn}.json`);
	return {
		async keep(turn, calls) {
			await mkdir(folder, { recursive: true, mode: 0o700 });
			const temporary = `${fileOf(turn)}.new`;
			await write(temporary, JSON.stringify(calls));
			await rename(temporary, fileOf(turn));
		},
		async kept(turn) {
			const text = await readFile(fileOf(turn), "utf8").catch(() => null);
			return text === null ? [] : (PartialOutputs.safeParse(parsed(text)).data ?? []);
		},
		async drop(turn) {
			await rm(fileOf(turn), { force: true });
		},
		async dropAll() {
			await rm(folder, { recursive: true, force: true });
		},
	};
}

async function write(file: string, text: string): Promise<void> {
	await using handle = await open(file, "w", 0o600);
	await handle.writeFile(text);
	await handle.sync();
}

/** A file that somebody else damaged says nothing; the turn is recovered without it. */
function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}
