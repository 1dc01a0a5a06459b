// Leaves the alternate screen for a while: the conversation as text, where the terminal's own scrollback and selection work, or
// the shell.
import type { AgentId } from "#contract/ids.ts";
import { nameOf } from "./agent-text.ts";
import { blockRows } from "./block-rows.ts";
import type { Seen } from "./model.ts";
import type { Screen } from "./pi/screen.ts";

interface Look {
	agent: AgentId;
	seen: Seen;
	colour: boolean;
}

export function leave(how: "transcript" | "redraw" | "suspend", screen: Screen, look: Look): void {
	if (how === "redraw") screen.redraw();
	else if (how === "suspend") suspend(screen);
	else printTranscript(screen, look);
}

/** The screen comes back when the reader presses Enter. */
function printTranscript(screen: Screen, { agent, seen, colour }: Look): void {
	screen.stop();
	const folder = seen.agents.get(agent)?.workspace?.path ?? null;
	const width = screen.columns;
	const look = { width, colour, folder, isOpened: true, isSelected: false, nameOf: (by: string) => nameOf(seen, by) };
	const rows = seen.blocks(agent).flatMap((block) => blockRows(block, look));
	const part = seen.hasOlder(agent) ? "… what is loaded here; `brood log` prints everything\n" : "";
	screen.print(`${part}${rows.join("\n")}\n\nEnter goes back.\n`);
	process.stdin.resume();
	process.stdin.once("data", () => screen.start());
}

/** As Ctrl+Z does elsewhere; `fg` brings the screen back. */
function suspend(screen: Screen): void {
	screen.stop();
	process.once("SIGCONT", () => screen.start());
	process.kill(process.pid, "SIGTSTP");
}
