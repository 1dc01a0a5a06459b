// Release and recover, from outside: where the files are afterwards, what is held, and what the answer says.

import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ProjectSlug } from "#contract/ids.ts";
import type { Agent } from "#contract/wire.ts";
import { at } from "#test/support/in-workspace.ts";
import { hasSandboxes, sandboxModes } from "#test/support/processes.ts";
import { freshRepository } from "#test/support/repository.ts";
import { git, params, refusal, TestDaemon } from "#test/support/test-daemon.ts";

let daemon: TestDaemon;
beforeAll(async () => {
	daemon = await TestDaemon.open();
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

const recover = async (agent: Agent) => await daemon.client.call("recover", { ...params(agent), body: {} });
const release = async (agent: Agent) => await daemon.client.call("release", { ...params(agent), body: {} });
const health = async (agent: Agent) => await daemon.client.call("health", params(agent));
const configure = (slug: string, text: string): void =>
	writeFileSync(path.join(daemon.home, "projects", slug, "config.yaml"), text);
const trash = (): string => path.join(daemon.home, "trash");

/** A repository inside the agent's tree that git does not track, beside other things that are not committed. */
function clutter(agent: Agent): void {
	mkdirSync(at(agent, "deep/nested"), { recursive: true });
	git(at(agent, "deep/nested"), "init", "--quiet");
	writeFileSync(at(agent, "deep/nested/precious.txt"), "precious");
	writeFileSync(at(agent, "loose.txt"), "loose");
	writeFileSync(at(agent, "README.md"), "changed");
}

test.each(sandboxModes)("recover moves a repository inside the tree aside, sandbox: %s", async (sandbox) => {
	const project = await daemon.project();
	configure(project.slug, `sandbox: ${sandbox}\n`);
	const agent = await project.add({ name: "one" });
	clutter(agent);
	expect((await recover(agent)).label).toBe("idle");
	expect(readdirSync(at(agent)).filter((name) => name !== ".git")).toEqual(["README.md"]);
	expect(readFileSync(at(agent, "README.md"), "utf8")).toBe("hello\n");
	// what the snapshot holds comes from there, the rest from where the log says
	const [snapshot] = await daemon.client.call("snapshots", params(agent));
	expect(git(project.repository, "show", `${snapshot?.commit}:tree/loose.txt`)).toBe("loose");
	const said = (await daemon.items(agent)).map(({ text }) => text ?? "").join("\n");
	const aside = /No snapshot can hold deep\/nested: moved to (\S+)\./.exec(said)?.[1] ?? "";
	if (sandbox === "off") expect(aside.startsWith(trash())).toBe(true);
	expect(readFileSync(path.join(aside, "deep/nested/precious.txt"), "utf8")).toBe("precious");
	expect((await health(agent)).issues).toEqual([]);
	// no circle: there is nothing left to do
	expect((await recover(agent)).label).toBe("idle");
});

test("recover leaves a submodule that is as its commit has it, and moves one with changes aside", async () => {
	const project = await daemon.project();
	const library = freshRepository({ "lib.txt": "one\n" });
	const allowed = ["-c", "protocol.file.allow=always", "submodule", "--quiet"];
	git(project.repository, ...allowed, "add", library, "lib");
	git(project.repository, "-c", "user.name=p", "-c", "user.email=p@localhost", "commit", "-qm", "lib");
	const agent = await project.add({ name: "one" });
	const lib = (name: string): string => readFileSync(at(agent, `lib/${name}`), "utf8");
	git(at(agent), ...allowed, "update", "--init");
	writeFileSync(at(agent, "loose.txt"), "loose");
	await recover(agent);
	expect([existsSync(at(agent, "loose.txt")), lib("lib.txt")]).toEqual([false, "one\n"]);
	writeFileSync(at(agent, "lib/lib.txt"), "two\n");
	writeFileSync(at(agent, "loose.txt"), "loose");
	const { repaired } = await recover(agent);
	const [, aside = "", next] = /lib: moved to (\S+)\. `(git submodule update --init)`/.exec(repaired ?? "") ?? [];
	expect(readFileSync(path.join(aside, "lib/lib.txt"), "utf8")).toBe("two\n");
	expect([next, readdirSync(at(agent, "lib")), git(at(agent), "status", "--porcelain")]).toEqual([
		"git submodule update --init",
		[],
		"",
	]);
	git(at(agent), ...allowed, "update", "--init");
	expect(lib("lib.txt")).toBe("one\n");
});

test("recover cleans folders that are read-only", async () => {
	const agent = await (await daemon.project()).add({ name: "one" });
	mkdirSync(at(agent, "dir"));
	writeFileSync(at(agent, "dir/a.txt"), "a\n");
	await daemon.client.call("commit", { ...params(agent), body: { message: "Work" } });
	writeFileSync(at(agent, "dir/a.txt"), "changed");
	mkdirSync(at(agent, "out"));
	writeFileSync(at(agent, "out/x.txt"), "x");
	mkdirSync(at(agent, "closed"));
	git(at(agent, "closed"), "init", "--quiet", "nested");
	for (const name of ["dir", "out", "closed"]) chmodSync(at(agent, name), 0o555);
	const { repaired } = await recover(agent);
	expect(repaired).toContain("No snapshot can hold closed/nested: moved to");
	expect(readdirSync(at(agent)).filter((name) => name !== ".git")).toEqual(["README.md", "dir"]);
	expect([readFileSync(at(agent, "dir/a.txt"), "utf8"), git(at(agent), "status", "--porcelain")]).toEqual(["a\n", ""]);
	// for root every folder is writable: only its mode tells
	expect(statSync(at(agent, "dir")).mode & 0o777).toBe(0o755);
});

test("recover of a file that is too large for a snapshot keeps it aside, and one that cannot be moved changes nothing", async () => {
	const project = await daemon.project({ "big.bin": "small\n" });
	const agent = await project.add({ name: "one" });
	writeFileSync(at(agent, "big.bin"), Buffer.alloc(101 * 1024 * 1024, 1));
	writeFileSync(at(agent, "loose.txt"), "loose");
	mkdirSync(trash(), { recursive: true });
	renameSync(trash(), `${trash()}.away`);
	writeFileSync(trash(), "in the way");
	expect(await recover(agent).catch((error: unknown) => error)).toBeInstanceOf(Error);
	expect([statSync(at(agent, "big.bin")).size, readFileSync(at(agent, "loose.txt"), "utf8")]).toEqual([
		101 * 1024 * 1024,
		"loose",
	]);
	rmSync(trash());
	renameSync(`${trash()}.away`, trash());
	await recover(agent);
	expect(readFileSync(at(agent, "big.bin"), "utf8")).toBe("small\n");
	const entry = readdirSync(trash()).find((name) => name.endsWith(`${project.slug}-one-aside`)) ?? "";
	expect(readFileSync(path.join(trash(), entry, "files/big.bin")).length).toBe(101 * 1024 * 1024);
	rmSync(path.join(trash(), entry), { recursive: true });
});

test("release brings an agent home from error, and ends the hold when the tree is right again", async () => {
	const project = await daemon.project();
	const agent = await project.add({ name: "one" });
	await daemon.turn(agent, "say hello");
	git(at(agent), "checkout", "--quiet", "-b", "elsewhere");
	await daemon.client.call("prompt", { ...params(agent), body: { text: "say again" } });
	await expect.poll(async () => (await daemon.now(agent)).label, { timeout: 20_000 }).toBe("error");
	expect((await daemon.now(agent)).holds.map(({ kind }) => kind)).toEqual(["drift"]);
	writeFileSync(at(agent, "loose.txt"), "loose");
	const dirty = await refusal(release(agent));
	expect(dirty).toMatchObject({ code: "WORKTREE_DIRTY", details: { status: ["?? loose.txt"] } });
	rmSync(at(agent, "loose.txt"));
	expect((await release(agent)).text).toContain("You are on brood/one now.");
	expect(git(at(agent), "branch", "--show-current")).toBe("brood/one");
	// the prompt that was waiting runs now, on a cleared context
	const said = async () =>
		(await daemon.client.call("context", params(agent))).filter(({ kind }) => kind === "user").map(({ text }) => text);
	await expect.poll(said, { timeout: 20_000 }).toEqual(["say again"]);
});

test("release drops the issue and clears; a dirty tree keeps both", async () => {
	const project = await daemon.project();
	const agent = await project.add({ name: "one" });
	const { number } = await daemon.client.ask("issueAdd", {
		params: { project: project.slug },
		body: { title: "Nothing", body: "say nothing" },
	});
	const issue = { params: { issue: `${project.slug}#${number}` } };
	await daemon.client.ask("issueAssign", { ...issue, body: { agent: agent.id } });
	await expect
		.poll(async () => (await daemon.client.call("issue", issue)).attention !== null, { timeout: 20_000 })
		.toBe(true);
	writeFileSync(at(agent, "loose.txt"), "loose");
	expect((await refusal(release(agent))).code).toBe("WORKTREE_DIRTY");
	expect((await daemon.now(agent)).issue).toBe(number);
	rmSync(at(agent, "loose.txt"));
	await release(agent);
	const now = await daemon.now(agent);
	expect([now.issue, now.label, now.workspace?.branch]).toEqual([null, "idle", "brood/one"]);
	expect((await daemon.client.call("issue", issue)).assigneeHandle).toBe(null);
	expect((await daemon.items(agent)).at(-1)?.kind).toBe("clear");
	expect(git(at(agent), "branch", "--show-current")).toBe("brood/one");
});

test("recover of a workspace that could not be made answers when it is made", async () => {
	const project = await daemon.project();
	configure(project.slug, "setup: test -e /nonexistent\n");
	const agent = await project.add({ name: "one" });
	expect(agent.label).toBe("error");
	const fix = `brood agent recover ${project.slug}/one`;
	expect(await refusal(release(agent))).toMatchObject({ code: "AGENT_INVALID_STATE", suggestions: [fix] });
	const text = expect.stringMatching(/^Its workspace could not be made: .*setup/);
	expect(await health(agent)).toEqual({ healthy: false, issues: [{ code: "UNFINISHED", text, fix }] });
	expect(await recover(agent)).toMatchObject({ label: "error", repaired: null });
	configure(project.slug, "setup: echo ready > .ready\n");
	const made = await recover(agent);
	expect([made.label, existsSync(at(made, ".ready"))]).toEqual(["idle", true]);
	expect(await health(agent)).toEqual({ healthy: true, issues: [] });
});

test.each(sandboxModes)(
	"health names shared paths that are missing, a folder of their own, or a link elsewhere, and recover mends them, sandbox: %s",
	async (sandbox) => {
		const project = await daemon.project({ ".gitignore": "/modules\n/more\n/other\n", "README.md": "hello\n" });
		configure(
			project.slug,
			`sandbox: ${sandbox}\nshared: [modules, more, other]\nsetup: for i in modules more other; do test -e $i || (mkdir $i && echo $i > $i/a); done\n`,
		);
		await daemon.client.call("warm", { params: { project: project.slug }, body: {} });
		const agent = await project.add({ name: "one" });
		expect(await health(agent)).toEqual({ healthy: true, issues: [] });
		rmSync(at(agent, "modules"));
		rmSync(at(agent, "more"));
		mkdirSync(at(agent, "more"));
		writeFileSync(at(agent, "more/own.txt"), "own");
		rmSync(at(agent, "other"));
		symlinkSync("/nonexistent/elsewhere", at(agent, "other"));
		const { issues } = await health(agent);
		expect(issues.map(({ code, text }) => [code, text])).toEqual([
			["LINK_BROKEN", "modules is not linked to what the agents share."],
			["LINK_BROKEN", "more is a folder of its own and not linked to what the agents share."],
			["LINK_BROKEN", "other leads to /nonexistent/elsewhere and not to what the agents share."],
		]);
		expect(new Set(issues.map(({ fix }) => fix))).toEqual(new Set([`brood agent recover ${project.slug}/one`]));
		writeFileSync(at(agent, "README.md"), "not committed");
		const { repaired } = await recover(agent);
		expect(await health(agent)).toEqual({ healthy: true, issues: [] });
		expect(readFileSync(at(agent, "more/a"), "utf8")).toBe("more\n");
		// what was in its place is not lost, and work goes on as it was
		const aside = /What was in the place of a shared path is in (\S+)\./.exec(repaired ?? "")?.[1] ?? "";
		expect(readFileSync(path.join(aside, "more/own.txt"), "utf8")).toBe("own");
		expect([aside.startsWith(trash()), readFileSync(at(agent, "README.md"), "utf8")]).toEqual([
			sandbox === "off",
			"not committed",
		]);
	},
);

const garbage = "garbage\n";
const corrupted: (readonly [kind: string, sandbox: string, file: string, damage: string])[] = [
	["worktree", "off", "HEAD", garbage],
	["worktree", "off", "commondir", garbage],
	["clone", "off", "config", garbage],
	["clone", "off", "objects", garbage],
	["clone", "off", "", garbage],
	["worktree", "on", "config", garbage],
	["worktree", "on", "objects", garbage],
	["worktree", "off", "refs/heads/brood/one", garbage],
	["worktree", "off", "refs/heads/brood/one", `${"1".repeat(40)}\n`],
	["clone", "off", "refs/heads/brood/one", ""],
	["worktree", "on", "refs/heads/brood/one", `${"1".repeat(40)}\n`],
];
test.each(corrupted.filter(([, sandbox]) => sandboxModes.includes(sandbox)))(
	"the git folder of a %s, sandbox: %s, with a corrupt %s is found, and what health says repairs it",
	async (kind, sandbox, file, damage) => {
		const project = await daemon.project();
		configure(project.slug, `sandbox: ${sandbox}\n`);
		const agent = await project.add({ name: "one", workspace: kind });
		// its process stays warm
		await daemon.turn(agent, "write work.txt done\ncommit Work");
		writeFileSync(at(agent, "loose.txt"), "loose");
		const inHome = path.join(daemon.home, "projects", project.slug, "git/one");
		const which = file.startsWith("refs/") ? "--git-common-dir" : "--git-dir";
		const gitFolder = sandbox === "on" ? inHome : git(at(agent), "rev-parse", "--path-format=absolute", which);
		rmSync(path.join(gitFolder, file), { recursive: true });
		if (file !== "") writeFileSync(path.join(gitFolder, file), damage);
		const { healthy, issues } = await health(agent);
		const fixes = new Set(issues.map(({ fix }) => fix));
		expect([healthy, fixes]).toEqual([false, new Set([`brood agent recover ${project.slug}/one`])]);
		await recover(agent);
		expect(await health(agent)).toEqual({ healthy: true, issues: [] });
		// and for the agent itself: a clean tree in its own name
		const { id } = await daemon.turn(
			agent,
			"run git status --porcelain && git log -1 --format=%s && git var GIT_AUTHOR_IDENT",
		);
		const said = (await daemon.items(agent)).find((item) => item.turn === id && item.kind === "tool_result")?.text;
		// without its objects, a clone has the commits that the project has
		const lost = sandbox === "off" && (file === "objects" || file === "");
		expect(said?.split(" <")[0]).toBe(`${lost ? "begin" : "Work"}\nbrood-agent-one`);
		const kept = (await daemon.client.call("snapshots", params(agent))).map(({ reason }) => reason);
		expect(kept).toContainEqual(expect.stringContaining("before a recovery"));
	},
);

test.runIf(hasSandboxes)("recover in a sandbox copies nothing out of the repository of a project by URL", async () => {
	const slug = ProjectSlug.parse("mirrored");
	await daemon.client.call("projectAdd", { body: { slug, path: `file://${freshRepository()}` } });
	// names that are in every bare repository
	configure(slug, "sandbox: on\ncopy: [config, description]\n");
	const agent = await daemon.client.ask("agentAddTo", { params: { project: slug }, body: { type: "scripted" } });
	const files = (): string[] => readdirSync(at(agent)).filter((name) => name !== ".git");
	const before = files();
	writeFileSync(at(agent, "loose.txt"), "loose");
	await recover(agent);
	expect(files()).toEqual(before);
});
