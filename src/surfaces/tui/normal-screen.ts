// Leaves the alternate screen for a while: the conversation as text, where the terminal's own scrollback and selection
// work. Only the terminal breaks its lines: what it selects is whole.
import type { AgentId } from "#contract/ids.ts";
import type { Block } from "#views/conversation.ts";
import { nameOf } from "./agent-text.ts";
import { type BlockLook, blockRows } from "./block-rows.ts";
import type { MirroredScreen } from "./mirrored-screen.ts";
import type { Screen } from "./pi/screen.ts";
import { columnsOf, uncoloured, widthOf } from "./pi/text.ts";
import { saidRows } from "./said-block.ts";
import type { SlashAnswer } from "./slash.ts";

/** items of a conversation that are printed */
const printedMax = 20_000;

/** those that close a list, and Enter */
const backKeys = ["enter", "ctrl+c", "escape", "q"];

/** The screen comes back when the reader presses Enter. */
export async function printTranscript(
	screen: Screen,
	view: Pick<MirroredScreen, "conversation" | "seen">,
	{ agent, colour, signal }: { agent: AgentId; colour: boolean; signal: AbortSignal },
): Promise<SlashAnswer> {
	const { blocks, isCut } = await view.conversation(agent).whole(printedMax);
	if (signal.aborted) return {};
	const { seen } = view;
	const folder = seen.agents.get(agent)?.workspace?.path ?? null;
	const width = screen.columns;
	const nameIn = (by: string): string => nameOf(seen, by);
	const look = { width, colour, folder, isOpened: true, isSelected: false, output: null, nameOf: nameIn };
	const lines = blocks.flatMap((block) => printedLines(block, look));
	const part = isCut ? `… the last ${printedMax} items; \`brood log\` prints everything\n` : "";
	screen.stop();
	screen.print(`${part}${lines.join("\n")}\n\nEnter goes back.\n`);
	screen.onKey((key) => {
		if (backKeys.includes(key)) screen.start();
	});
	return {};
}

/** The rows of a block, joined where only the width has cut them, and without the margin of the screen. */
export function printedLines(block: Block, look: BlockLook): string[] {
	const said = saidRows(block, look);
	const lines: string[] = [];
	for (const [at, row] of blockRows(block, look).entries()) {
		const { lead = 0, joint = null } = said[at] ?? {};
		const before = columnsOf(row, 0, lead);
		const rest = columnsOf(row, lead, widthOf(row));
		if (joint !== null) lines.push(`${lines.pop() ?? ""}${joint}${rest}`);
		else lines.push(uncoloured(before).trim() === "" ? rest : before + rest);
	}
	return lines;
}
