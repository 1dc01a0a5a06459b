// A line on the terminal's standard error while a request takes longer than a second. Nothing without a terminal.
import type { Send } from "#client/client.ts";
import { printPaintedToStderr } from "./print.ts";

/** What the daemon is doing, by request. Requests that wait for agents are not here. */
const doing: readonly (readonly [RegExp, string])[] = [
	[/^POST \/api\/projects$/, "adding the project"],
	[/^POST \/api\/(projects\/[^/]+\/)?agents$/, "making the workspace"],
	[/^POST \/api\/agents\/[^/]+\/fork$/, "copying the agent and its files"],
	[/^POST \/api\/vendors\/[^/]+$/, "installing"],
	[/^POST \/api\/projects\/[^/]+\/warm$/, "filling primary/ with the setup command"],
	[/^POST \/api\/projects\/[^/]+\/gc$/, "looking for expired snapshots and trash"],
	[/^POST \/api\/backup$/, "writing the backup"],
	[/^POST \/api\/(agents|issues)\/[^/]+\/approve$/, "checking and merging"],
	[/^POST \/api\/(agents|projects)\/[^/]+\/sync$/, "updating to base"],
	[/^POST \/api\/(agents|issues)\/[^/]+\/pull-request$/, "pushing"],
	[/^POST \/api\/agents\/[^/]+\/(commit|release|recover|restore)$/, "working on the files"],
	[/^POST \/api\/agents\/[^/]+\/delete$/, "removing the workspace"],
	[/^GET \/api\/(agents|issues)\/[^/]+\/diff$/, "comparing files"],
	[/^GET \/api\/space$/, "measuring disk usage"],
];

const afterMs = 1000;

/** The same, with a line that says what takes so long. */
export const withProgress =
	(send: Send, write: (text: string) => void = printPaintedToStderr): Send =>
	async (url, request) => {
		const label = labelOf(`${request.method} ${new URL(url).pathname}`);
		return label === null ? await send(url, request) : await showingProgress(label, () => send(url, request), write);
	};

/** With a line that says what takes so long. */
export async function showingProgress<T>(
	label: string,
	work: () => Promise<T>,
	write: (text: string) => void = printPaintedToStderr,
): Promise<T> {
	if (!process.stderr.isTTY || process.env["TERM"] === "dumb" || process.argv.includes("--json")) return await work();
	let seconds = 0;
	const timer = setInterval(() => write(`\r\u001B[K${label} … ${++seconds} s`), afterMs);
	timer.unref();
	try {
		return await work();
	} finally {
		clearInterval(timer);
		if (seconds > 0) write("\r\u001B[K");
	}
}

const labelOf = (request: string): string | null => doing.find(([rule]) => rule.test(request))?.[1] ?? null;
