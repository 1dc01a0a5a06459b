// Prints a thread into the normal screen, where the terminal's own scrollback and selection work.
import { writeSync } from "node:fs";
import type { AgentId } from "#contract/ids.ts";
import { nameOf } from "./agent-text.ts";
import { blockRows } from "./block-rows.ts";
import type { Seen } from "./model.ts";

/** `back` is called when the reader presses Enter. */
export function transcript(agent: AgentId, seen: Seen, colour: boolean, back: () => void): void {
	const folder = seen.agents.get(agent)?.workspace?.path ?? null;
	const width = process.stdout.columns ?? 100;
	const look = { width, colour, folder, isOpened: true, isSelected: false, nameOf: (by: string) => nameOf(seen, by) };
	const rows = seen.blocks(agent).flatMap((block) => blockRows(block, look));
	writeSync(1, `${rows.join("\n")}\n\nEnter goes back.\n`);
	process.stdin.resume();
	process.stdin.once("data", back);
}
