// The terminal program without a terminal: what a key costs, and how much memory it takes. Prints one line.
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "#client/client.ts";
import { AgentId } from "#contract/ids.ts";
import { TerminalProgram } from "#surfaces/tui/terminal.ts";
import { median } from "./table.ts";

const [url = "", token = "", home = "", first = ""] = process.argv.slice(2);
const [columns, rows] = [120, 40];
const keys = 600;
const batches = 6;

let input: (data: string) => void = () => {};
let frames = 0;
const nothing = (): void => {};
const terminal = {
	columns,
	rows,
	kittyProtocolActive: false,
	start: (take: (data: string) => void) => {
		input = take;
	},
	drainInput: async () => {},
	write: () => {
		frames++;
	},
	...{ stop: nothing, moveBy: nothing, hideCursor: nothing, showCursor: nothing, clearLine: nothing },
	...{ clearFromCursor: nothing, clearScreen: nothing, setTitle: nothing, setProgress: nothing },
};
const program = new TerminalProgram(
	{
		...{ client: new Client({ url, token }), home, project: null, isRepository: false, colour: true, terminal },
		freshKey: () => crypto.randomUUID(),
		beforeReconnect: async () => {},
		isStopped: () => false,
		now: () => performance.timeOrigin + performance.now(),
	},
	AgentId.parse(first),
);
const over = program.run();
await pause(2000);

/**
 * Milliseconds of CPU for a key and its frame. Some kernels count CPU in steps longer than a key takes: many are
 * measured at once.
 */
async function cost(data: string, count: number): Promise<number> {
	const all: number[] = [];
	for (let batch = 0; batch < batches; batch++) {
		const before = process.threadCpuUsage();
		for (let key = 0; key < count / batches; key++) {
			const drawn = frames;
			input(data);
			while (frames === drawn) await new Promise((resume) => setImmediate(resume));
		}
		const { user, system } = process.threadCpuUsage(before);
		all.push((user + system) / 1000 / (count / batches));
	}
	return median(all);
}

await cost("a", keys);
const typed = await cost("a", keys);
const paged = await cost("\u001B[5~", 60);
globalThis.gc?.();
const mib = process.memoryUsage().heapUsed / 1024 / 1024;
console.log(JSON.stringify({ typed, paged, mib }));
program.stop();
await over;
process.exit();
