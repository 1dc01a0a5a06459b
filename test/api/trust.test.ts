// A client sends its token only to the daemon of its home, and no other program can pose as that daemon.
import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Client } from "#client/client.ts";
import { proofText } from "#contract/proof.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { send, sendTo } from "#surfaces/cli/daemon-request.ts";
import { shell } from "#test/support/cli.ts";
import { freshFolder } from "#test/support/stores.ts";

const tokenOf = (home: string): string => readFileSync(path.join(home, "token"), "utf8");
const daemonOf = (home: string): { pid: number; url: string; socket: string | null } =>
	JSON.parse(readFileSync(path.join(home, "daemon.json"), "utf8"));
const modeOf = (...parts: string[]): number => statSync(path.join(...parts)).mode & 0o777;

interface Stranger extends AsyncDisposable {
	url: string;
	/** everything that it received */
	heard(): string;
	connections(): number;
}

/** Another program on a port, which answers as it likes and writes down what it hears. */
async function stranger(port: number, answer: (line: Socket, heard: string) => void): Promise<Stranger> {
	let heard = "";
	let count = 0;
	const lines = new Set<Socket>();
	const server = createServer((line) => {
		count++;
		lines.add(line);
		line
			.on("error", () => {})
			.on("data", (chunk) => {
				heard += chunk.toString("latin1");
				answer(line, chunk.toString("latin1"));
			});
	}).listen(port, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	return {
		url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
		heard: () => heard,
		connections: () => count,
		async [Symbol.asyncDispose]() {
			for (const line of lines) line.destroy();
			server.close();
		},
	};
}

const reply = (body: object): string => {
	const text = JSON.stringify(body);
	return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
};

test("another program on the port of a daemon that was killed learns no secret, and the command finds the real daemon", {
	timeout: 60_000,
}, async () => {
	const answers: Record<string, (line: Socket, heard: string) => void> = {
		"says yes to everything": (line) =>
			line.write(reply({ data: { proof: "A".repeat(43), home: "/", pid: 1, contract: 1 } })),
		"hangs up": (line) => void line.destroy(),
		"says nothing": () => {},
		"repeats what it hears": (line, heard) => line.write(heard),
	};
	await using sh = shell();
	await sh.brood("up");
	const { pid, url } = daemonOf(sh.home);
	process.kill(pid, "SIGKILL");
	const token = tokenOf(sh.home);
	const port = await freed(url);
	for (const [name, answer] of Object.entries(answers)) {
		await using other = await stranger(port, answer);
		process.env["BROOD_TIMEOUT"] = "1";
		await expect(new Client({ url, token }, sendTo(sh.home)).call("agents"), name).rejects.toThrow();
		expect(
			[other.connections() > 0, other.heard().includes(token), /authorization/i.test(other.heard())],
			name,
		).toEqual([true, false, false]);
		// the control: who goes by the port alone tells it
		const trusting = new Client({ url, token }, send).call("agents").catch(() => {});
		await expect.poll(() => other.heard()).toContain(token);
		await other[Symbol.asyncDispose]();
		await trusting;
		delete process.env["BROOD_TIMEOUT"];
	}
	await using last = await stranger(port, () => {});
	expect(await shell(sh.home, undefined, { BROOD_TIMEOUT: "1" }).json("agent", "list")).toMatchObject({
		code: 0,
		data: [{ handle: "init" }],
	});
	expect(daemonOf(sh.home).url).not.toBe(url);
	expect([last.connections() > 0, last.heard().includes(token)]).toEqual([true, false]);
});

/** The port, once nobody listens on it any more. */
async function freed(url: string): Promise<number> {
	const port = Number(new URL(url).port);
	const knock = (): Promise<string> =>
		new Promise((resolve) => {
			const line = connect(port, "127.0.0.1", () => line.destroy());
			line.on("error", () => resolve("refused")).on("close", () => resolve("open"));
		});
	await expect.poll(knock).toBe("refused");
	return port;
}

describe("where the name of the socket would be too long", () => {
	let daemon: Daemon;
	const home = path.join(freshFolder(), "a-rather-long-name".repeat(8));
	beforeAll(async () => {
		daemon = await startDaemon({ home });
	});
	afterAll(async () => await daemon[Symbol.asyncDispose]());

	test("the daemon proves itself on its port, and commands work", async () => {
		expect([daemonOf(home).socket, existsSync(path.join(home, "socket"))]).toEqual([null, false]);
		expect(Buffer.byteLength(path.join(home, "socket"))).toBeGreaterThan(108);
		const sh = shell(home);
		expect((await sh.json("agent", "add", "far", "--type", "scripted")).data).toMatchObject({ handle: "far" });
		expect((await sh.json("status")).data).toMatchObject({ pid: process.pid, home });
	});

	test("a program on another port cannot pass the question on to the daemon", async () => {
		const port = Number(new URL(daemon.url).port);
		const relayed: Socket[] = [];
		await using other = await stranger(0, (line, heard) => {
			const onward = connect(port, "127.0.0.1", () =>
				onward.write(heard.replaceAll(new URL(other.url).host, new URL(daemon.url).host)),
			);
			relayed.push(onward.on("data", (chunk) => line.write(chunk)).on("error", () => {}));
		});
		const client = new Client({ url: other.url, token: daemon.token }, sendTo(home));
		await expect(client.call("agents")).rejects.toThrow(/Another program than the daemon/);
		expect(relayed.length).toBe(1);
		expect(other.heard()).not.toContain(daemon.token);
		// the control: the same client on the right port
		expect(await new Client(daemon, sendTo(home)).call("agents")).not.toEqual([]);
		for (const line of relayed) line.destroy();
	});

	test("the token is only said on the connection on which the daemon proved itself", async () => {
		// proves itself with the daemon's own answer, as one that was the daemon until a moment ago, and hangs up
		const proofs: string[] = [];
		await using other = await stranger(0, (line, heard) => {
			const [, nonce = ""] = /nonce=(\S+)/.exec(heard) ?? [];
			proofs.push(nonce);
			const proof = createHmac("sha256", daemon.token)
				.update(proofText(new URL(other.url).host, nonce))
				.digest("base64url");
			line.end(reply({ data: { proof } }));
		});
		await expect(new Client({ url: other.url, token: daemon.token }, sendTo(home)).call("agents")).rejects.toThrow();
		expect([proofs.length, other.connections(), other.heard().includes(daemon.token)]).toEqual([1, 1, false]);
	});
});

describe("a token that was replaced", () => {
	test("is refused at once, ends the streams that were opened with it, and leaves agents alone", {
		timeout: 60_000,
	}, async () => {
		await using sh = shell();
		await sh.brood("agent", "add", "worker", "--type", "shell");
		const before = tokenOf(sh.home);
		const { url, socket } = daemonOf(sh.home);
		const ask = async (token: string) =>
			(await fetch(`${url}/api/agents`, { headers: { authorization: `Bearer ${token}` } })).status;
		const stream = await fetch(`${url}/api/events?after=0`, { headers: { authorization: `Bearer ${before}` } });
		const go = path.join(freshFolder(), "go");
		const turn = sh.json(
			"prompt",
			"worker",
			`until [ -e ${go} ]; do sleep 0.05; done; brood token rotate; echo $?`,
			"--wait",
		);
		await expect
			.poll(async () => (await sh.json("agent", "status", "worker")).data.turn, { timeout: 20_000 })
			.not.toBe(null);
		expect([await ask(before), (await sh.json("token", "rotate")).data]).toEqual([
			200,
			{ file: path.join(sh.home, "token") },
		]);
		const after = tokenOf(sh.home);
		expect([after === before, after.length, modeOf(sh.home, "token"), await ask(before), await ask(after)]).toEqual([
			false,
			before.length,
			0o600,
			401,
			200,
		]);
		let text = "";
		for await (const chunk of stream.body ?? []) text += Buffer.from(chunk).toString();
		expect(text).toContain("agent.");
		const through = new Client({ url, token: before }, sendTo(sh.home));
		await expect(through.call("agents")).rejects.toThrow(/token/);
		expect(socket).not.toBe(null);
		// an agent's own token is none of these, and it may not replace the person's
		writeFileSync(go, "");
		const { data } = await turn;
		expect(data).toMatchObject({ state: "completed" });
		expect((await sh.json("log", "worker")).data.at(-2).text).toMatch(/FORBIDDEN.*\n1\n$/s);
		expect(tokenOf(sh.home)).toBe(after);
	});

	test("does not end a command that follows the journal", { timeout: 60_000 }, async () => {
		await using sh = shell();
		await sh.brood("up");
		const env = { PATH: process.env["PATH"] ?? "", HOME: sh.home, BROOD_HOME: sh.home };
		const following = spawn(path.resolve("bin/brood"), ["events", "--follow", "--json"], {
			env,
			stdio: ["ignore", "pipe", "inherit"],
		});
		let out = "";
		following.stdout.on("data", (chunk) => (out += chunk));
		await expect.poll(() => out, { timeout: 20_000 }).toContain("agent.");
		await sh.brood("token", "rotate");
		await sh.brood("agent", "add", "afterwards", "--type", "scripted");
		await expect.poll(() => out, { timeout: 20_000 }).toContain("afterwards");
		following.kill();
	});
});

describe("a home", () => {
	test("is made private by the daemon, with every file that holds a secret", async () => {
		const home = path.join(freshFolder(), "open");
		mkdirSync(home, { mode: 0o755 });
		chmodSync(home, 0o755);
		writeFileSync(path.join(home, "lock"), "", { mode: 0o644 });
		await using daemon = await startDaemon({ home });
		expect(daemon.url).toContain("127.0.0.1");
		expect([modeOf(home), ...["lock", "socket", "token", "daemon.json"].map((name) => modeOf(home, name))]).toEqual([
			0o700, 0o600, 0o600, 0o600, 0o600,
		]);
	});

	test.each([0o770, 0o707, 0o1777])(
		"that others can write in (%o) is refused, by the daemon and by every command",
		async (mode) => {
			const home = path.join(freshFolder(), "home");
			mkdirSync(home);
			chmodSync(home, mode);
			const refused = {
				code: 1,
				error: {
					code: "HOME_UNUSABLE",
					message: `${home} can be written by other users.`,
					suggestions: [`chmod 700 ${home}`],
				},
			};
			expect(await shell(home).json("agent", "list")).toMatchObject(refused);
			await expect(startDaemon({ home })).rejects.toThrow(/can be written by other users/);
			expect(existsSync(path.join(home, "token"))).toBe(false);
		},
	);

	test.skipIf(process.getuid?.() !== 0)(
		"of another user is refused, and another user cannot use ours",
		{ timeout: 60_000 },
		async () => {
			const home = path.join(freshFolder(), "home");
			mkdirSync(home, { mode: 0o700 });
			chownSync(home, 65534, 65534);
			expect(await shell(home).json("agent", "list")).toMatchObject({
				code: 1,
				error: { code: "HOME_UNUSABLE", message: expect.stringContaining("another user") },
			});
			await expect(startDaemon({ home })).rejects.toThrow(/belongs to another user/);
			const ours = path.join(freshFolder(), "ours");
			await using daemon = await startDaemon({ home: ours });
			const program = `require("net").connect(process.argv[1]).on("connect", () => console.log("in")).on("error", (error) => console.log(error.code))`;
			const knock = async (uid: number): Promise<string> => {
				const child = spawn("node", ["-e", program, path.join(ours, "socket")], {
					uid,
					gid: uid,
					stdio: ["ignore", "pipe", "inherit"],
					cwd: "/",
				});
				const [chunk] = await once(child.stdout, "data");
				child.kill();
				return String(chunk).trim();
			};
			expect([await knock(65534), await knock(0), daemon.url.length > 0]).toEqual(["EACCES", "in", true]);
		},
	);
});
