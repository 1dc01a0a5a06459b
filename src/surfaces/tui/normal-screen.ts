// Leaves the alternate screen for a while: the conversation as text, where the terminal's own scrollback and selection
// work.
import type { AgentId } from "#contract/ids.ts";
import { nameOf } from "./agent-text.ts";
import { blockRows } from "./block-rows.ts";
import type { MirroredScreen } from "./mirrored-screen.ts";
import type { Screen } from "./pi/screen.ts";
import type { SlashAnswer } from "./slash.ts";

/** items of a conversation that are printed */
const printedMax = 20_000;

/** The screen comes back when the reader presses Enter. */
export async function printTranscript(
	screen: Screen,
	view: Pick<MirroredScreen, "conversation" | "seen">,
	{ agent, colour, signal }: { agent: AgentId; colour: boolean; signal: AbortSignal },
): Promise<SlashAnswer> {
	const { blocks, isCut } = await view.conversation(agent).whole(printedMax);
	if (signal.aborted) return {};
	screen.stop();
	const { seen } = view;
	const folder = seen.agents.get(agent)?.workspace?.path ?? null;
	const width = screen.columns;
	const nameIn = (by: string): string => nameOf(seen, by);
	const look = { width, colour, folder, isOpened: true, isSelected: false, output: null, nameOf: nameIn };
	const rows = blocks.flatMap((block) => blockRows(block, look));
	const part = isCut ? `… the last ${printedMax} items; \`brood log\` prints everything\n` : "";
	screen.print(`${part}${rows.join("\n")}\n\nEnter goes back.\n`);
	process.stdin.resume();
	process.stdin.once("data", () => screen.start());
	return {};
}
