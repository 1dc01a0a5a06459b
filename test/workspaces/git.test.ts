// The one function that runs git: its limits, how long it waits for locks, its order, and the names that it is given.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { branchRef, commitId, isBranchName } from "#adapters/git/format/refs.ts";
import { environmentOfGit } from "#adapters/git/run/environment.ts";
import { exclusively } from "#adapters/git/run/exclusive.ts";
import { GitFailed, makeGit } from "#adapters/git/run/git.ts";
import { git as plain } from "#test/support/dirty-trees.ts";
import { silentServer } from "#test/support/git-server.ts";

const base = mkdtempSync(path.join(os.tmpdir(), "brood-git-"));
const folder = path.join(base, "repository");
const git = makeGit({ environment: { ...process.env, HOME: base } });

beforeAll(() => {
	mkdirSync(folder);
	plain(folder, ["init", "-q", "-b", "main"]);
	writeFileSync(path.join(folder, "a.txt"), "a\n");
	plain(folder, ["add", "-A"]);
	plain(folder, ["commit", "-qm", "first"]);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

test("an answer is bytes and text, a failure says what git said", async () => {
	writeFileSync(path.join(folder, "b.txt"), "");
	const { exit, bytes, text } = await git(folder, ["ls-files", "-z", "-o"]);
	expect({ exit, bytes, text }).toEqual({ exit: 0, bytes: Buffer.from("b.txt\0"), text: "b.txt\0" });
	expect((await git(folder, ["diff", "--no-index", "--quiet", "a.txt", "b.txt"], { answers: [1] })).exit).toBe(1);
	const failed = await git(folder, ["rev-parse", "--verify", "nothing"]).catch((error: unknown) => error);
	expect(failed).toBeInstanceOf(GitFailed);
	expect(failed).toMatchObject({
		exit: 128,
		args: ["rev-parse", "--verify", "nothing"],
		errors: expect.stringMatching(/single revision/),
	});
	expect((await git(folder, ["hash-object", "--stdin"], { input: "text" })).text).toHaveLength(40);
	await expect(git(path.join(base, "nowhere"), ["status"])).rejects.toThrow(GitFailed);
});

test("a server that takes the connection and then says nothing is given up, after a minute if nobody says otherwise", async () => {
	await using silent = await silentServer();
	const environment = { ...process.env, HOME: base };
	const asked = async (run: typeof git, timeoutMs: number): Promise<string> =>
		await run(folder, ["ls-remote", silent.url], { timeoutMs }).then(
			() => "an answer",
			({ errors }: GitFailed) => errors,
		);
	expect(await asked(makeGit({ environment, stallSeconds: 1 }), 20_000)).toMatch(/transferred the last 1 seconds/);
	// the control: with the usual limit git itself still waits
	expect(await asked(git, 1500)).toMatch(/^no answer within 1500 ms/);
	expect(environmentOfGit({})).toMatchObject({ GIT_HTTP_LOW_SPEED_LIMIT: "1", GIT_HTTP_LOW_SPEED_TIME: "60" });
});

/** A git that never ends by itself: a helper of the user that writes down who it is and waits. */
function endless(name: string): { pidFile: string; run: ReturnType<typeof makeGit> } {
	const home = path.join(base, name);
	const pidFile = path.join(home, "pid");
	mkdirSync(home);
	writeFileSync(
		path.join(home, ".gitconfig"),
		`[credential]\n\thelper = "!echo $$ > ${pidFile}; exec sleep 1000; :"\n`,
	);
	return { pidFile, run: makeGit({ environment: { ...process.env, HOME: home } }) };
}

const isAlive = (pid: number): boolean => {
	try {
		process.kill(pid, 0);
		return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
	} catch {
		return false;
	}
};
const question = "protocol=https\nhost=a.invalid\n\n";

test("a command that takes too long is ended with all that it started", async () => {
	const { run, pidFile } = endless("slow");
	const ended = await run(folder, ["credential", "fill"], { input: question, timeoutMs: 1500 }).catch(
		(error: unknown) => error,
	);
	expect(ended).toMatchObject({ exit: null, errors: expect.stringMatching(/no answer within 1500 ms/) });
	await expect.poll(() => isAlive(Number(readFileSync(pidFile, "utf8")))).toBe(false);
});

test("a command that is cancelled is ended with all that it started", async () => {
	const { run, pidFile } = endless("off");
	const controller = new AbortController();
	const running = run(folder, ["credential", "fill"], { input: question, signal: controller.signal }).catch(
		(error: unknown) => error,
	);
	await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "").toBe(true);
	controller.abort();
	expect(await running).toMatchObject({ exit: null, errors: expect.stringMatching(/cancelled/) });
	await expect.poll(() => isAlive(Number(readFileSync(pidFile, "utf8")))).toBe(false);
});

test("a lock in the way is waited for, an expectation that does not hold is not", async () => {
	const ran: (number | null)[] = [];
	const lock = path.join(folder, ".git", "index.lock");
	const waiting = makeGit({
		environment: { ...process.env, HOME: base },
		record: ({ args, exit }) => {
			if (args[0] !== "add") return;
			ran.push(exit);
			if (ran.length === 2) rmSync(lock);
		},
	});
	writeFileSync(lock, "");
	await waiting(folder, ["add", "a.txt"]);
	expect(ran).toEqual([128, 128, 0]);
	const [zero, one] = ["0".repeat(40), "1".repeat(40)];
	await expect(git(folder, ["update-ref", "refs/heads/main", zero, one])).rejects.toThrow(/but expected/);
});

test("every command is on record, with its arguments and without its contents", async () => {
	const ran: string[] = [];
	const recorded = makeGit({
		environment: { ...process.env, HOME: base },
		record: ({ args, exit }) => ran.push(`${args.join(" ")} = ${exit}`),
	});
	await recorded(folder, ["hash-object", "--stdin"], { input: "secret" });
	await recorded(folder, ["rev-parse", "--verify", "-q", "nothing"]).catch(() => {});
	expect(ran).toEqual([
		"config --list -z --show-scope --includes = 0",
		"hash-object --stdin = 0",
		"rev-parse --verify -q nothing = 1",
	]);
});

test("what is exclusive for a repository happens one after the other, for any of its worktrees, and after failures", async () => {
	const other = path.join(base, "other");
	plain(folder, ["worktree", "add", "-q", "--detach", other]);
	const said: string[] = [];
	const step = (place: string, name: string, fails = false): Promise<unknown> =>
		exclusively(place, async () => {
			said.push(`${name} begins`);
			await git(place, ["rev-parse", "HEAD"]);
			said.push(`${name} ends`);
			if (fails) throw new Error(name);
		}).catch(() => {});
	await Promise.all([step(folder, "a", true), step(other, "b"), step(folder, "c")]);
	expect(
		said.map((line, at) =>
			at % 2 === 0 ? line.endsWith("begins") && said[at + 1] === line.replace("begins", "ends") : true,
		),
	).toEqual(Array.from({ length: 6 }, () => true));
});

test("names that would be options or leave refs/heads are not names for a branch", () => {
	const bad = [
		"",
		"-x",
		"--force",
		"a/-b",
		"a..b",
		"../x",
		"/x",
		"x/",
		"a//b",
		"x.lock",
		"x.lock/y",
		".x",
		"a/.x",
		"x.",
		"@",
		"a@{1}",
		"HEAD",
		"refs/heads/x",
	];
	const worse = ["a b", "a\tb", "a\nb", "a\0b", "a~1", "a^", "a:b", "a?", "a*", "a[b", "a\\b", "\x7f", "x".repeat(241)];
	expect([...bad, ...worse].filter(isBranchName)).toEqual([]);
	expect(["main", "brood/opus-1", "feature/ünï", "a.b", "a@b", "x-y"].filter((name) => !isBranchName(name))).toEqual(
		[],
	);
	for (const name of ["main", "brood/opus-1", "feature/ünï", "a.b"])
		expect(plain(folder, ["check-ref-format", branchRef(name)]).toString()).toBe("");
	expect(() => branchRef("--upload-pack=x")).toThrow(/not a name for a branch/);
	expect(() => commitId("--all")).toThrow(/not an id of a commit/);
});
