// What is wrong with the daemon, its home or its disk is said by the command that meets it: a sentence, a code, exit 1.
import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alive } from "#adapters/system/processes.ts";
import { Client } from "#client/client.ts";
import { startDaemon } from "#src/main.ts";
import { type Shell, shell } from "#test/support/cli.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";

const isThere = (pid: number): boolean => alive().some((each) => each.pid === pid);

describe("a daemon that cannot start says why", () => {
	let made: string;
	beforeAll(async () => {
		made = path.join(freshFolder(), "made");
		await (await startDaemon({ home: made }))[Symbol.asyncDispose]();
	});
	const edit = (file: string, change: (bytes: Buffer) => unknown): void => {
		const bytes = readFileSync(file);
		change(bytes);
		writeFileSync(file, bytes);
	};
	const problems: [name: string, change: (home: string) => void, code: string, says: RegExp][] = [
		[
			"a damaged store",
			(home) => edit(path.join(home, "brood.db"), (bytes) => bytes.write("garbage")),
			"STORE_UNUSABLE",
			/is damaged: its header.*Restore it/,
		],
		[
			"damaged pages",
			(home) => edit(path.join(home, "brood.db"), (bytes) => bytes.fill(1, 8192, 40_000)),
			"STORE_UNUSABLE",
			/damaged|malformed/,
		],
		[
			"a store of a newer Brood",
			(home) => edit(path.join(home, "brood.db"), (bytes) => bytes.writeUInt32BE(9999, 60)),
			"STORE_UNUSABLE",
			/newer Brood/,
		],
		[
			"another program's store",
			(home) => edit(path.join(home, "brood.db"), (bytes) => bytes.writeUInt32BE(7, 68)),
			"STORE_UNUSABLE",
			/another program/,
		],
		["a missing store", removeStore, "STORE_UNUSABLE", /is missing: .* No new one was made/],
		[
			"a damaged token",
			(home) => writeFileSync(path.join(home, "token"), "short"),
			"HOME_UNUSABLE",
			/token is damaged/,
		],
		["a token that cannot be read", unreadableToken, "HOME_UNUSABLE", /token cannot be read/],
		[
			"a lock that is none",
			(home) => writeFileSync(path.join(home, "lock"), "x".repeat(4096)),
			"HOME_UNUSABLE",
			/lock cannot be locked: file is not a database/,
		],
		["a lock that is a folder", folderAsLock, "HOME_UNUSABLE", /lock cannot be locked: EISDIR/],
		["a home that is a file", homeIsFile, "HOME_UNUSABLE", /is not a folder/],
		[
			"a broken configuration",
			(home) => writeFileSync(path.join(home, "config.yaml"), "port: [1,\n"),
			"VALIDATION_ERROR",
			/config\.yaml:2:1/,
		],
	];
	test.skipIf(!existsSync("/proc/self"))("a home where the kernel makes no folders", async () => {
		expect((await shell("/proc/nope").json("ps")).error).toMatchObject({ code: "HOME_UNUSABLE" });
	});

	// test/crash/sqlite.test.ts and test/api/cli.test.ts have the others from closer by
	const quick = [
		"a damaged store",
		"damaged pages",
		"a missing store",
		"a token that cannot be read",
		"a lock that is none",
		"a lock that is a folder",
		"a home that is a file",
	];
	test.concurrent.each(problems.filter(([name]) => process.env["BROOD_TORTURE"] || quick.includes(name)))(
		"%s",
		async (_, change, code, says) => {
			const home = path.join(freshFolder(), "home");
			cpSync(made, home, { recursive: true });
			change(home);
			const { code: exit, out, err } = await shell(home).brood("agent", "list", "--json");
			expect([exit, out]).toEqual([1, ""]);
			const { error } = JSON.parse(err);
			expect(error).toMatchObject({ code, message: expect.stringMatching(says) });
			expect(error.message).not.toMatch(/Node\.js v|another process holds|^\s+at /im);
			if (code !== "STORE_UNUSABLE") return;
			const doctor = await shell(home).brood("doctor", "--json");
			expect([doctor.code, JSON.parse(doctor.out).data.findings]).toEqual([
				1,
				expect.arrayContaining([expect.objectContaining({ ok: false, text: expect.stringMatching(says) })]),
			]);
		},
	);

	function removeStore(home: string): void {
		for (const name of readdirSync(home)) if (name.startsWith("brood.db")) rmSync(path.join(home, name));
	}
	function unreadableToken(home: string): void {
		rmSync(path.join(home, "token"));
		mkdirSync(path.join(home, "token"));
	}
	function folderAsLock(home: string): void {
		rmSync(path.join(home, "lock"), { force: true });
		mkdirSync(path.join(home, "lock"));
	}
	function homeIsFile(home: string): void {
		rmSync(home, { recursive: true });
		writeFileSync(home, "");
	}
});

describe("a daemon with a problem", () => {
	let sh: Shell;
	let pid: number;
	beforeAll(async () => {
		sh = shell(path.join(freshFolder(), "home"), undefined, { BROOD_TIMEOUT: "2" });
		pid = (await sh.json("up")).data.pid;
	});
	afterAll(async () => {
		await sh[Symbol.asyncDispose]();
	});
	const removed = (...names: string[]): void => {
		for (const name of names) rmSync(path.join(sh.home, name), { force: true, recursive: true });
	};

	test("is waited for while it works, and not for ever while it does not", async () => {
		process.kill(pid, "SIGSTOP");
		try {
			const [stopped, doctor, completed] = await Promise.all([
				sh.json("agent", "list"),
				sh.json("doctor"),
				sh.brood("complete", "--", "log", "x"),
			]);
			expect(doctor.data.findings).toContainEqual({
				name: "daemon",
				ok: false,
				text: expect.stringMatching(/^TIMEOUT: /),
				fix: "brood down",
			});
			expect(completed).toEqual({ code: 0, out: "", err: "" });
			expect(stopped).toMatchObject({
				code: 124,
				error: { code: "TIMEOUT", message: "The daemon has not answered for 2 s: it is frozen or overloaded." },
			});
		} finally {
			process.kill(pid, "SIGCONT");
		}
		// longer than the daemon may be silent: it is not silent, it works
		expect((await sh.json("wait", "init", "--for", "mail", "--timeout", "4")).error).toMatchObject({
			code: "TIMEOUT",
			message: expect.not.stringContaining("daemon"),
		});
	});

	test("writes again what others need to find it", async () => {
		const before = readFileSync(path.join(sh.home, "daemon.json"), "utf8");
		const token = readFileSync(path.join(sh.home, "token"), "utf8");
		removed("daemon.json", "token", "socket");
		expect((await sh.json("status")).data).toMatchObject({ pid });
		expect([
			readFileSync(path.join(sh.home, "daemon.json"), "utf8"),
			readFileSync(path.join(sh.home, "token"), "utf8"),
		]).toEqual([before, token]);
	});

	test("is not taken for one that does not answer when its token cannot be read", async () => {
		const token = readFileSync(path.join(sh.home, "token"), "utf8");
		removed("token");
		mkdirSync(path.join(sh.home, "token"));
		expect((await sh.json("status")).error).toMatchObject({
			code: "HOME_UNUSABLE",
			message: expect.stringMatching(/token cannot be read/),
		});
		removed("token");
		writeFileSync(path.join(sh.home, "token"), token, { mode: 0o600 });
		expect((await sh.json("status")).data).toMatchObject({ pid });
	});

	test("keeps the home when its lock was removed: no second daemon starts, and it takes the lock again", async () => {
		removed("lock");
		const second = await new Promise<string>((resolve) =>
			execFile(process.execPath, ["src/programs/daemon.ts", "--home", sh.home], (_, __, err) => resolve(err)),
		);
		expect(second).toMatch(new RegExp(`^brood: A daemon \\(pid ${pid}.*${sh.home}`));
		await expect.poll(() => existsSync(path.join(sh.home, "lock")), { timeout: 10_000 }).toBe(true);
		expect((await sh.json("status")).data).toMatchObject({ pid });
	});

	test("is found by down when its files are gone and it does not answer", async () => {
		removed("daemon.json", "lock", "socket");
		process.kill(pid, "SIGSTOP");
		expect((await sh.json("down")).data).toMatchObject({ pid });
		expect(isThere(pid)).toBe(false);
	});

	test("ends when its home is removed, and the next one finds a fresh home", async () => {
		const { data } = await sh.json("up");
		rmSync(sh.home, { recursive: true });
		await expect.poll(() => isThere(data.pid), { timeout: 20_000 }).toBe(false);
		const next = await sh.json("status");
		expect([next.code, next.data.pid === data.pid]).toEqual([0, false]);
	});
});

test("what is gone beside the store has a code of its own, and is not taken for a bug", {
	timeout: 60_000,
}, async () => {
	const home = path.join(freshFolder(), "home");
	await using daemon = await startDaemon({ home });
	const client = new Client(daemon);
	const repository = freshRepository();
	await client.call("projectAdd", { body: { slug: "shop", path: repository } });
	await client.call("agentAddTo", { params: { project: "shop" }, body: { name: "worker", agentType: "shell" } });
	await client.call("prompt", { params: { agent: "worker" }, body: { text: "seq 1 300000" } });
	const refusal = async (asked: Promise<unknown>): Promise<unknown> =>
		await asked.then(() => null).catch((error) => error.refusal?.code ?? error);
	const long = async () =>
		(await client.call("items", { params: { agent: "worker" } })).find(({ kind }) => kind === "tool_result");
	await expect.poll(long, { timeout: 30_000 }).toBeDefined();
	const item = { params: { item: String((await long())?.id) } };
	expect((await client.call("item", item)).text).toContain("\n300000");
	for (const name of readdirSync(path.join(home, "blobs")))
		writeFileSync(path.join(home, "blobs", name), "something else");
	expect(await refusal(client.call("item", item))).toBe("BLOB_GONE");
	rmSync(path.join(home, "blobs"), { recursive: true });
	expect(await refusal(client.call("item", item))).toBe("BLOB_GONE");
	renameSync(repository, `${repository}-away`);
	expect(await refusal(client.call("diff", { params: { agent: "worker" }, query: {} }))).toBe("REPOSITORY_UNUSABLE");
	expect(
		await client.call("agentAddTo", { params: { project: "shop" }, body: { name: "late", agentType: "shell" } }),
	).toMatchObject({
		label: "error",
		lastError: { code: "REPOSITORY_UNUSABLE" },
	});
});

test("a place behind the end of the journal is refused, also for the stream", async () => {
	await using daemon = await startDaemon({ home: path.join(freshFolder(), "home") });
	const last = await daemon.engine.reads.lastEvent();
	const ask = async (place: string) =>
		await (await fetch(`${daemon.url}/api/${place}`, { headers: { authorization: `Bearer ${daemon.token}` } })).json();
	for (const place of [`journal?limit=10&after=${last + 1}`, `events?after=${last + 1}`])
		expect(await ask(place)).toMatchObject({
			error: {
				code: "VALIDATION_ERROR",
				details: { last },
				message: expect.stringMatching(/^The journal ends at event \d+/),
			},
		});
	for (const place of ["journal?after=", "journal?after=%20", "events?after=", "agents?limit=1&after="])
		expect(await ask(place)).toMatchObject({
			error: { code: "VALIDATION_ERROR", message: expect.stringMatching(/^after: /) },
		});
	expect(await ask(`journal?limit=10&after=${last}`)).toEqual({ data: { events: [], next: null } });
});

const [apart = "", ...apartArgs] = ["unshare", "--mount", "sh", "-c"];
/** Whether this user may mount a file system of its own. */
const mounts = (() => {
	try {
		execFileSync(apart, [...apartArgs, "mount -t tmpfs none /mnt"], { stdio: "ignore" });
		return true;
	} catch {
		return false;
	}
})();

test.runIf(mounts)(
	"a full disk refuses what it has no room for, in words; what is there can be read, and down ends",
	{ timeout: 120_000 },
	async () => {
		const folder = freshFolder();
		const brood = path.resolve("bin/brood");
		const script = `
		mount -t tmpfs -o size=8m,mode=700 none "$1" && mkdir -m 700 "$1/home" && export BROOD_HOME="$1/home" BROOD_PORT=0
		say() { printf '\\n== %s\\n' "$*"; "${brood}" "$@" --json 2>&1; echo "exit $?"; }
		"${brood}" up > /dev/null
		say agent add first --type scripted --no-project
		dd if=/dev/zero of="$1/fill" bs=4096 2> /dev/null
		say agent add second --type scripted --no-project
		say send first hello
		say search hello
		say agent list
		say down
		dd if=/dev/zero of="$1/more" bs=4096 2> /dev/null
		"${brood}" down > /dev/null
		rm "$1/home/daemon.out"; dd if=/dev/zero of="$1/more2" bs=4096 2> /dev/null
		say up
		rm "$1"/fill "$1"/more*
		say agent list
		say down`;
		const env = { PATH: process.env["PATH"] ?? "", HOME: folder };
		const child = execFile(apart, [...apartArgs, script, "sh", folder], { env });
		let out = "";
		child.stdout?.on("data", (chunk) => (out += chunk));
		await once(child, "close");
		const answers = out.split("\n== ").slice(1);
		const full = /"code":"DISK_FULL".*\nexit 1/;
		const good = /^\{"data":.*\nexit 0/m;
		const expected = [good, full, full, good, good, good, full, good, good];
		expect(
			answers.map((answer, at) => expected[at]?.test(answer)),
			out,
		).toEqual(expected.map(() => true));
		expect(answers.at(-2)).toContain('"handle":"first"');
		expect(out).not.toMatch(/INTERNAL_ERROR|Node\.js v/);
	},
);
