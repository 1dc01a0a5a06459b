// The mirror after a while: issues that were done long ago, and a clock that stood still.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Client, fromResponse, type Send } from "#client/client.ts";
import { Mirror } from "#client/mirror.ts";
import type { CommandInput } from "#contract/command.ts";
import { type Actor, human, ProjectSlug, system } from "#contract/ids.ts";
import { boardDoneMax } from "#contract/mirror-request.ts";
import type { BoardColumn } from "#contract/overviews.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";
import { boardOf } from "#views/overviews.ts";

let daemon: Daemon;
let client: Client;
const web = ProjectSlug.parse("web");
const stop = new AbortController();
let cut = (): void => {};

beforeAll(async () => {
	daemon = await startDaemon({ home: freshFolder() });
	client = new Client({ url: daemon.url, token: daemon.token });
	for (const slug of ["web", "other"]) await client.call("projectAdd", { body: { slug, path: freshRepository() } });
});
afterAll(async () => {
	stop.abort();
	await daemon[Symbol.asyncDispose]();
});

async function say(command: CommandInput, actor: Actor = human): Promise<number> {
	const done = await daemon.engine.dispatch({ actor, key: null, command });
	return "refused" in done ? expect.unreachable(JSON.stringify(done)) : (done.done.event ?? 0);
}

/** Issues that are done, the last one last. */
async function done(project: string, count: number): Promise<void> {
	for (let number = 1; number <= count; number++) {
		const issueId = await say({ type: "issue.add", project: ProjectSlug.parse(project), title: `issue ${number}` });
		await say({ type: "issue.move", issueId, stage: "IN_PROGRESS" });
		await say({ type: "issue.move", issueId, stage: "IN_REVIEW" });
		await say({ type: "issue.approve", issueId, empty: true });
		await say({ type: "issue.merge", issueId, commit: null }, system);
	}
}

const brief = (columns: readonly BoardColumn[]): unknown =>
	columns.map(({ stage, issues, more }) => [stage, issues.map(({ number, blockedBy }) => [number, blockedBy]), more]);

async function agree(mirror: Mirror): Promise<void> {
	await expect
		.poll(
			async () => {
				const project = mirror.view.rows.project.get(web);
				return project && brief(boardOf(mirror.view.issues(web), project));
			},
			{ timeout: 20_000 },
		)
		.toEqual(brief((await client.call("board", { params: { project: "web" } })).columns));
}

const mirrored = (now: () => number, send?: Send): Mirror => {
	const mirror = new Mirror(new Client({ url: daemon.url, token: daemon.token }, send), { now });
	void mirror.run(stop.signal);
	return mirror;
};

test("a board has its issues, whichever of those that were done long ago is open again", {
	timeout: 120_000,
}, async () => {
	await done("web", boardDoneMax + 6);
	await done("other", 1);
	const mirror = mirrored(() => Date.now());
	await expect.poll(() => mirror.state, { timeout: 20_000 }).toBe("live");
	await mirror.show({ boards: [web], threads: [] });
	await agree(mirror);
	expect(mirror.view.issues(web)).toHaveLength(boardDoneMax + 1);
	const move = async (issue: string) => await client.call("issueMove", { params: { issue }, body: { stage: "TODO" } });
	await move("web#1");
	await agree(mirror);
	await client.call("issueAdd", { params: { project: "web" }, body: { title: "waits", dependsOn: [1] } });
	await agree(mirror);
	expect(mirror.view.issues(web).at(-1)?.blockedBy).toEqual([1]);
	// of a board that is not shown
	await move("other#1");
	for (let number = boardDoneMax + 6; number > boardDoneMax; number--) await move(`web#${number}`);
	await agree(mirror);
	await client.call("issueDelete", { params: { issue: "web#50" } });
	await agree(mirror);
	const columns = (await client.call("board", { params: { project: "web" } })).columns;
	expect(columns.at(-1)).toMatchObject({ stage: "DONE", more: false });
	expect(columns.at(-1)?.issues).toHaveLength(boardDoneMax - 2);
});

test("a mirror whose own clock stood still has the daemon's time when it is back", { timeout: 60_000 }, async () => {
	let asleepMs = 0;
	const mirror = mirrored(
		() => Date.now() - asleepMs,
		async (url, request) => {
			const sent = fromResponse(await fetch(url, request));
			if (!url.includes("/api/events")) return sent;
			const broken = Promise.withResolvers<never>();
			broken.promise.catch(() => {});
			cut = () => broken.reject(new Error("the line was cut"));
			return { ...sent, chunks: breakable(sent.chunks, broken.promise) };
		},
	);
	const behind = (): number => Math.round((daemon.engine.now() - mirror.viewInput.now) / 60_000);
	await expect.poll(() => mirror.state, { timeout: 20_000 }).toBe("live");
	expect(behind()).toBe(0);
	asleepMs = 3_600_000;
	expect(behind()).toBe(60);
	cut();
	await expect.poll(behind, { timeout: 20_000 }).toBe(0);
});

async function* breakable(chunks: AsyncIterable<Uint8Array>, broken: Promise<never>): AsyncGenerator<Uint8Array> {
	const each = chunks[Symbol.asyncIterator]();
	for (;;) {
		const next = await Promise.race([each.next(), broken]);
		if (next.done === true) return;
		yield next.value;
	}
}
