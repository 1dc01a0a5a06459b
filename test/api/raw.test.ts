// No request ends the daemon, whatever its bytes are.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listen } from "#server/listen.ts";
import { attempt, attempts } from "#test/support/raw.ts";
import { freshFolder } from "#test/support/stores.ts";

const count = process.env["BROOD_TORTURE"] ? 100_000 : 3000;
const seed = Number(process.env["BROOD_SEED"] ?? 20_260_101);

let daemon: ChildProcess;
let port = 0;
let token = "";
let said = "";

const leaked = 100;
/** As an editor's terminal starts programs: with a folder of its own open, which it did not mean to give away. */
const handedDown = (folder: string) => [
	...(["ignore", "pipe", "pipe"] as const),
	...Array<"ignore">(leaked - 3).fill("ignore"),
	openSync(folder, "r"),
];

beforeAll(async () => {
	const home = freshFolder();
	daemon = spawn(process.execPath, ["src/programs/daemon.ts", "--home", home, "--port", "0"], {
		stdio: handedDown(home),
	});
	daemon.stderr?.on("data", (chunk) => (said += chunk));
	const up = new Promise<number>((resolve) =>
		daemon.stdout?.on("data", (chunk) => {
			said += chunk;
			const [, found] = /is up at http:\/\/127\.0\.0\.1:(\d+)/.exec(said) ?? [];
			if (found !== undefined) resolve(Number(found));
		}),
	);
	port = await Promise.race([up, once(daemon, "exit").then(() => Promise.reject(new Error(said)))]);
	token = readFileSync(path.join(home, "token"), "utf8");
});
afterAll(async () => {
	const gone = daemon.exitCode === null && daemon.signalCode === null ? once(daemon, "exit") : null;
	daemon.kill();
	await gone;
});

const alive = async (at: number): Promise<unknown> =>
	await (await fetch(`http://127.0.0.1:${at}/api/health`, { signal: AbortSignal.timeout(20_000) })).json();
const healthy = { status: "ok", proofNonce: expect.any(String) };

const plain = (text: string) => ({ bytes: Buffer.from(text), pieces: 0, leave: "answer" as const });

test.runIf(process.platform === "linux")(
	"a file that the daemon was handed by accident is not handed on to what it starts",
	async () => {
		const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: handedDown(freshFolder()) });
		await once(other, "spawn");
		const has = [daemon, other].map(({ pid }) => existsSync(`/proc/${pid}/fd/${leaked}`));
		other.kill("SIGKILL");
		expect(has).toEqual([false, true]);
	},
);

test("a target that is no URL is turned away without a token", async () => {
	for (const target of ["//", "//[", "http://[", "///", "*", "//api/events"]) {
		const heard = await attempt(
			plain(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`),
			{ port },
		);
		expect(heard, target).toMatch(/^HTTP\/1\.1 (400|401|404) /);
	}
	expect([daemon.exitCode, daemon.signalCode, await alive(port)], said).toEqual([null, null, healthy]);
});

test("a caller without a token is refused before it is asked for the body", async () => {
	const head = (more: string): string =>
		`POST /api/agents HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${more}Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`;
	expect(await attempt(plain(head("")), { port })).toMatch(/^HTTP\/1\.1 401 /);
	// the control: with a token, the body is asked for
	const asked = await attempt(plain(`${head(`Authorization: Bearer ${token}\r\n`)}{}`), { port });
	expect(asked).toMatch(/^HTTP\/1\.1 100 Continue\r\n/);
});

test.each(["Content-Length: 100000", "Transfer-Encoding: chunked"])(
	"a caller that goes away in the middle of its body is not an error (%s)",
	async (framing) => {
		const from = said.length;
		for (const target of ["/api/projects", "/api/agents"]) {
			const line = connect(port, "127.0.0.1");
			line.write(
				`POST ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n${framing}\r\n\r\n`,
			);
			// from now on it waits for the body
			expect(String((await once(line, "data"))[0])).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
			line.write(framing.startsWith("Content") ? "{" : "ff\r\n{");
			await alive(port);
			line.resetAndDestroy();
			await alive(port);
		}
		await alive(port);
		expect(said.slice(from)).not.toMatch(/error|failed/i);
	},
);

test(`${count} odd requests leave the daemon as it is`, { timeout: 60_000 + count * 20 }, async () => {
	const heard = await inParallel(attempts(seed, count, { host: `127.0.0.1:${port}`, token }), (each) =>
		attempt(each, { port }),
	);
	expect([daemon.exitCode, daemon.signalCode, await alive(port)], said).toEqual([null, null, healthy]);
	const statuses = Map.groupBy(heard, (text) => /^HTTP\/1\.\d (\d+)/.exec(text)?.[1] ?? "none");
	// all kinds of answers: the attempts get as deep as they are meant to
	for (const status of ["200", "400", "401", "431", "none"])
		expect(statuses.get(status)?.length ?? 0, status).toBeGreaterThan(count / 300);
	expect([...statuses.keys()].filter((status) => status.startsWith("5"))).toEqual([]);
	expect(said).not.toMatch(/went wrong|failed inside/);
});

test("a connection that closes before the daemon is ready is dropped, and one that waits is answered", async () => {
	const faults: unknown[] = [];
	await using listener = await listen({ port: 0, last: null, socket: null, failed: (fault) => faults.push(fault) });
	const at = { port: Number(new URL(listener.url).port) };
	const request = "GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n";
	for (const leave of ["reset", "end"] as const) await attempt({ ...plain(request), leave }, at);
	const waiting = attempt(plain(request.repeat(3)), at);
	const asked: unknown[] = [];
	// answered before anybody handles it: by then the server has read what came earlier
	expect(await attempt(plain("no request\r\n\r\n"), at)).toMatch(/^HTTP\/1\.1 400 /);
	listener.open({
		app: async () => ({ status: 200, headers: {}, body: "never" }),
		raw(_, response) {
			asked.push(response.destroyed);
			if (asked.length === 2) throw new Error("a fault of the second one");
			response.writeHead(401).end("no");
			return true;
		},
	});
	expect(await waiting).toMatch(/^HTTP\/1\.1 401 /);
	await expect.poll(() => faults).toEqual([new Error("a fault of the second one")]);
	expect(asked.length).toBeGreaterThanOrEqual(2);
	expect(asked).not.toContain(true);
});

test("control: a server that parses the target without checks crashes", async () => {
	const thrown: unknown[] = [];
	const server = createServer((request, response) => {
		try {
			response.end(new URL(request.url ?? "/", "http://daemon").pathname);
		} catch (error) {
			thrown.push(error);
			response.destroy();
		}
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	const other = typeof address === "object" ? (address?.port ?? 0) : 0;
	await inParallel(attempts(seed, 300, { host: `127.0.0.1:${other}`, token }), (each) =>
		attempt(each, { port: other }),
	);
	server.closeAllConnections();
	server.close();
	expect(thrown.length).toBeGreaterThan(5);
});

async function inParallel<T, R>(all: readonly T[], work: (each: T) => Promise<R>, lanes = 32): Promise<R[]> {
	const results: R[] = [];
	const queue = [...all];
	const lane = async (): Promise<void> => {
		for (let next = queue.pop(); next !== undefined; next = queue.pop()) results.push(await work(next));
	};
	await Promise.all(Array.from({ length: lanes }, lane));
	return results;
}
