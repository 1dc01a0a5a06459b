// The partial output of open tool calls and messages, in one file per turn, which is removed with the turn.
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { PartialOutputs } from "#contract/turn.ts";
import type { Partials } from "#engine/ports/blobs.ts";
import { parseJson } from "./errors.ts";

export function partialsIn(folder: string): Partials {
	const fileOf = (turn: number): string => path.join(folder, `${turn}.json`);
	return {
		async keep(turn, outputs) {
			await mkdir(folder, { recursive: true, mode: 0o700 });
			const temporary = `${fileOf(turn)}.new`;
			await write(temporary, JSON.stringify(outputs));
			await rename(temporary, fileOf(turn));
		},
		async kept(turn) {
			const text = await readFile(fileOf(turn), "utf8").catch(() => null);
			// a turn is recovered without a damaged file
			return text === null ? [] : (PartialOutputs.safeParse(parseJson(text)).data ?? []);
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
