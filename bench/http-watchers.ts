// Many readers of the event stream in one separate process. Takes steps as lines of JSON and answers in lines.
import { type ClientRequest, get } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

interface Watcher {
	request: ClientRequest | null;
	/** events since the phase began */
	events: number;
	/** the last chunk ended inside the empty line that ends an event */
	half: boolean;
	tail: string;
}

type BenchStep =
	| { do: "connect"; count: number; after: number }
	| { do: "begin"; stamps: boolean }
	| { do: "finish"; events: number };

const [url = "", token = ""] = process.argv.slice(2);
const finishMs = 60_000;
/** the clock that all processes of a machine share; the wall clock of each may be set while they run */
const now = (): number => Number(process.hrtime.bigint()) / 1e6;

const watchers: Watcher[] = [];
const arrivals: [stamp: number, at: number][] = [];
let stamps = false;
let cuts = 0;
let lastAt = 0;
let cpu = process.cpuUsage();

for await (const line of createInterface(process.stdin)) {
	const step: BenchStep = JSON.parse(line);
	console.log(JSON.stringify(await runStep(step)));
}
for (const { request } of watchers) request?.destroy();

async function runStep(step: BenchStep): Promise<object> {
	if (step.do === "connect") {
		for (const { request } of watchers.splice(0)) request?.destroy();
		for (let at = 0; at < step.count; at++) watchers.push({ request: null, events: 0, half: false, tail: "" });
		await Promise.all(watchers.map((watcher) => connect(watcher, step.after)));
		return {};
	}
	if (step.do === "begin") {
		for (const watcher of watchers) watcher.events = 0;
		stamps = step.stamps;
		arrivals.length = 0;
		cuts = 0;
		cpu = process.cpuUsage();
		return {};
	}
	const least = (): number => Math.min(...watchers.map((watcher) => watcher.events));
	for (const until = now() + finishMs; least() < step.events && now() < until; ) await pause(5);
	const { user, system } = process.cpuUsage(cpu);
	return { lastAt, least: least(), cuts, cpuMs: (user + system) / 1000, arrivals };
}

/** Resolves when the stream has started. */
function connect(watcher: Watcher, after: number): Promise<void> {
	return new Promise((resolve, reject) => {
		watcher.request = get(
			`${url}/api/events?after=${after}`,
			{ agent: false, headers: { authorization: `Bearer ${token}` } },
			(response) => {
				if (response.statusCode !== 200) reject(new Error(`a watcher was answered ${response.statusCode}`));
				let begun = false;
				response.on("data", (chunk: Buffer) => {
					if (begun) take(watcher, chunk);
					else resolve();
					begun = true;
				});
				response.on("end", () => resume(watcher));
				response.on("error", () => {});
			},
		);
		watcher.request.on("error", reject);
	});
}

/** Only counts events: a hundred parsers in one process would measure themselves. */
function take(watcher: Watcher, chunk: Buffer): void {
	lastAt = now();
	const text = chunk.toString("latin1");
	let from = 0;
	if (watcher.half && text.startsWith("\n")) {
		watcher.events++;
		from = 1;
	}
	for (let at = text.indexOf("\n\n", from); at >= 0; at = text.indexOf("\n\n", from)) {
		watcher.events++;
		from = at + 2;
	}
	// comments that keep the connection alive are written in one piece
	watcher.events -= text.split(": still here\n\n").length - 1;
	watcher.half = text.length > from && text.endsWith("\n");
	watcher.tail = text.slice(-100);
	if (stamps) for (const [, stamp] of text.matchAll(/"text":"(\d+\.\d+)"/g)) arrivals.push([Number(stamp), lastAt]);
}

/** Like the client: a watcher that was cut off resumes where it was told to. */
function resume(watcher: Watcher): void {
	const [, after] = /event: cut\ndata: {"after":(\d+)}/.exec(watcher.tail) ?? [];
	if (after === undefined) return;
	cuts++;
	// the notice was counted as an event
	watcher.events--;
	watcher.half = false;
	connect(watcher, Number(after)).catch((error: unknown) => console.error(error));
}
