// The dashboard in a real browser: what is loaded first, how soon it shows something with many agents, how soon an
// event is on screen, and how a long conversation opens and scrolls.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { chromium, type Page } from "playwright-core";
import { Client } from "#client/client.ts";
import type { AgentId } from "#contract/ids.ts";
import type { Engine } from "#engine/engine.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { chromiumProgram } from "#test/support/chromium.ts";
import { buildWeb } from "#tools/web.ts";
import { append, spawn } from "./history.ts";
import { median, percentile, type Result } from "./table.ts";

const crowd = 1000;
const multitude = 10_000;
const items = 100_000;
const events = 100;

export async function dashboard(): Promise<Result[]> {
	const home = mkdtempSync(path.join(os.tmpdir(), "brood-bench-"));
	const browser = await chromium.launch({
		executablePath: chromiumProgram(),
		args: ["--disable-dev-shm-usage", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
	});
	try {
		await using daemon = await startDaemon({ home, limits: { descendantsMax: Number.POSITIVE_INFINITY } });
		const { engine } = daemon;
		const agents: AgentId[] = [];
		await spawnAll(engine, agents, crowd);
		const [talker = engine.agentZero.id, long = engine.agentZero.id] = agents;
		await append(engine, long, items);
		const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
		await page.goto((await new Client(daemon).call("browserLink", { body: {} })).url);
		await page.getByText("live").first().waitFor();
		const results = [
			await initialScript(),
			await firstRows(page, daemon, crowd, 1000),
			await scrolledTree(page, crowd, 100),
			await eventOnScreen(page, daemon, { agent: talker, agents: crowd, targetMs: 100 }),
			...(await longThread(page, daemon, long)),
		];
		await spawnAll(engine, agents, multitude);
		return [
			...results,
			await firstRows(page, daemon, multitude, 3000),
			await scrolledTree(page, multitude, 100),
			await eventOnScreen(page, daemon, { agent: talker, agents: multitude, targetMs: 300 }),
		];
	} finally {
		await browser.close();
		rmSync(home, { recursive: true, force: true });
	}
}

/** In families of ten. */
async function spawnAll(engine: Engine, agents: AgentId[], upTo: number): Promise<void> {
	while (agents.length < upTo) {
		const first = await spawn(engine, engine.agentZero.id, "fresh");
		const others = Array.from({ length: Math.min(9, upTo - agents.length - 1) }, () =>
			spawn(engine, first.id, "fresh"),
		);
		agents.push(first.id, ...(await Promise.all(others)).map(({ id }) => id));
	}
}

/** The entry and what it imports at once. */
async function initialScript(): Promise<Result> {
	const folder = mkdtempSync(path.join(os.tmpdir(), "brood-bench-web-"));
	await buildWeb(folder);
	const page = readFileSync(path.join(folder, "index.html"), "utf8");
	const initial = new Set([...page.matchAll(/assets\/[\w.-]+\.js/g)].map(([name]) => path.basename(name)));
	for (const name of initial) {
		const text = readFileSync(path.join(folder, "assets", name), "utf8");
		for (const [, file] of text.matchAll(/(?:from|import)"\.\/([\w.-]+\.js)"/g))
			if (file !== undefined) initial.add(file);
	}
	const kb = (name: string): number => gzipSync(readFileSync(path.join(folder, "assets", name))).length / 1000;
	const all = readdirSync(path.join(folder, "assets")).filter((name) => name.endsWith(".js"));
	const value = [...initial].reduce((sum, name) => sum + kb(name), 0);
	const total = all.reduce((sum, name) => sum + kb(name), 0);
	rmSync(folder, { recursive: true });
	return {
		title: "The dashboard's scripts, kB gzipped",
		columns: ["", "kB"],
		rows: [
			["at first", value],
			["all, with every language", total],
		],
		ratio: { name: "initial script, kB gzipped", value, target: "<= 300", met: value <= 300 },
	};
}

const named = (count: number): string => count.toLocaleString("en");

/** From the request of the page to the row of an agent on screen. */
async function firstRows(page: Page, { url }: Daemon, agents: number, targetMs: number): Promise<Result> {
	const times: number[] = [];
	for (let round = 0; round < 7; round++) {
		await page.goto(`${url}/tree`);
		await page.getByRole("row").nth(10).waitFor();
		times.push(await page.evaluate(() => performance.now()));
	}
	const value = median(times);
	return {
		title: `The agent tree with ${named(agents)} agents, ms`,
		columns: ["", "median", "worst"],
		rows: [["from the request to the first rows", value, Math.max(...times)]],
		ratio: { name: `first rows of ${named(agents)}, ms`, value, target: `<= ${targetMs}`, met: value <= targetMs },
	};
}

/** Frames and tasks while the tree that is open is scrolled to its end. */
async function scrolledTree(page: Page, agents: number, targetMs: number): Promise<Result> {
	const { frames, longest } = await scrolled(page, ".tree-list", { steps: 200, by: 600 });
	return {
		title: `Scrolling the agent tree with ${named(agents)} agents, ms`,
		columns: ["", "median", "p95"],
		rows: [
			["between two frames", median(frames), percentile(frames, 0.95)],
			["longest task", longest, longest],
		],
		ratio: {
			name: `longest task with ${named(agents)}, ms`,
			value: longest,
			target: `<= ${targetMs}`,
			met: longest <= targetMs,
		},
	};
}

/** A frame for each step; negative goes up. */
const scrolled = async (
	page: Page,
	list: string,
	how: { steps: number; by: number },
): Promise<{ frames: number[]; longest: number }> =>
	await page.evaluate(
		async ({ of, steps, by }) => {
			const { document, PerformanceObserver, requestAnimationFrame } = Object(globalThis);
			let longest = 0;
			const observer: { observe(options: object): void } = Reflect.construct(PerformanceObserver, [
				(all: { getEntries(): { duration: number }[] }) => {
					for (const { duration } of all.getEntries()) longest = Math.max(longest, duration);
				},
			]);
			observer.observe({ type: "longtask" });
			const frames: number[] = [];
			let before = performance.now();
			for (let step = 0; step < steps; step++) {
				document.querySelector(of).scrollTop += by;
				await new Promise((resume) => requestAnimationFrame(resume));
				frames.push(performance.now() - before);
				before = performance.now();
			}
			return { frames, longest };
		},
		{ of: list, ...how },
	);

/**
 * From the answer to a request, which follows the commit, to the frame that shows it. Both clocks are this machine's.
 */
async function eventOnScreen(
	page: Page,
	daemon: Daemon,
	{ agent, agents, targetMs }: { agent: AgentId; agents: number; targetMs: number },
): Promise<Result> {
	const client = new Client(daemon);
	await page.goto(`${daemon.url}/agents/${agent}`);
	await page.getByRole("heading", { level: 1 }).waitFor();
	await client.call("pause", { params: { agent }, body: {} });
	await page.getByText("‖ paused").waitFor();
	const times: number[] = [];
	for (let count = 0; count < events; count++) {
		const name = `mark-${agents}-${count}.`;
		const shown = page.evaluate(
			(text) =>
				new Promise<number>((resolve) => {
					const { document, MutationObserver, requestAnimationFrame } = Object(globalThis);
					const look = (): void => {
						if (!document.body.textContent.includes(text)) return;
						observer.disconnect();
						requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now()));
					};
					const observer = new MutationObserver(look);
					observer.observe(document, { childList: true, subtree: true, characterData: true });
				}),
			name,
		);
		await client.call("mark", { params: { agent }, body: { name } });
		const committed = performance.timeOrigin + performance.now();
		times.push((await shown) - committed);
	}
	const value = percentile(times, 0.95);
	return {
		title: `An item of the shown agent, among ${named(agents)} agents, from its commit to the screen, ms`,
		columns: ["", "median", "p95"],
		rows: [["on screen", median(times), value]],
		ratio: {
			name: `on screen at p95 of ${named(agents)}, ms`,
			value,
			target: `<= ${targetMs}`,
			met: value <= targetMs,
		},
	};
}

async function longThread(page: Page, { url }: Daemon, agent: AgentId): Promise<Result[]> {
	const opened: number[] = [];
	for (let round = 0; round < 5; round++) {
		await page.goto(`${url}/tree`);
		await page.getByRole("row").first().waitFor();
		const began = await page.evaluate((to) => {
			const { history, PopStateEvent, dispatchEvent } = Object(globalThis);
			const from = performance.now();
			Reflect.apply(Reflect.get(history, "pushState"), history, [null, "", to]);
			dispatchEvent(Reflect.construct(PopStateEvent, ["popstate"]));
			return from;
		}, `/agents/${agent}`);
		await page.locator(".block").last().waitFor();
		opened.push((await page.evaluate(() => performance.now())) - began);
	}
	const { longest } = await scrolled(page, ".conversation-list", { steps: 300, by: -400 });
	// it is no longer at its end
	await page.getByRole("button", { name: "Newest" }).waitFor();
	const value = median(opened);
	return [
		{
			title: `A conversation of ${items.toLocaleString("en")} items, ms`,
			columns: ["", "ms"],
			rows: [
				["opened at its end, median", value],
				["longest task in 300 frames of scrolling back", longest],
			],
			ratio: { name: "opened, ms", value, target: "<= 300", met: value <= 300 },
		},
		{
			title: "Scrolling it, ms",
			columns: ["", "ms"],
			rows: [["longest task", longest]],
			ratio: { name: "longest task, ms", value: longest, target: "<= 100", met: longest <= 100 },
		},
	];
}
