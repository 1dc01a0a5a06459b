// A project and its remote: plain git reads on both sides what a sync or an approve left there.
import { appendFileSync, chmodSync, existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ProjectSlug } from "#contract/ids.ts";
import { mergeNote, remoteText } from "#contract/remote-text.ts";
import type { Agent } from "#contract/wire.ts";
import { type GitServer, serveGit, silentServer } from "#test/support/git-server.ts";
import { at } from "#test/support/in-workspace.ts";
import { makeWorld } from "#test/support/make-world.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";
import { git, params, refusal, TestDaemon } from "#test/support/test-daemon.ts";
import { agreed, write } from "#test/support/world.ts";

let daemon: TestDaemon;
let server: GitServer;
let root: string;
let projects = 0;

beforeAll(async () => {
	root = freshFolder();
	[daemon, server] = [await TestDaemon.open(), await serveGit(root)];
});
afterAll(async () => {
	await daemon[Symbol.asyncDispose]();
	await server[Symbol.asyncDispose]();
});

interface Remote {
	slug: ProjectSlug;
	/** the bare repository of the server */
	bare: string;
	/** the repository that Brood merges in */
	repository: string;
	/** a commit that somebody else pushes */
	push(files: Record<string, string>, ...options: string[]): string;
	agent(request?: object): Promise<Agent>;
	/** an agent with one commit */
	worker(name: string, files: Record<string, string>, request?: object): Promise<Agent>;
	main(folder?: string): string;
}

const person = ["-c", "user.name=stranger", "-c", "user.email=stranger@localhost"];

/** A bare repository on the server, and a project of it by its URL, or as a local clone with it as `origin`. */
async function remote(
	kind: "url" | "local",
	settings = "",
	{ files, http = false }: { files?: Record<string, string>; http?: boolean } = {},
): Promise<Remote> {
	const slug = ProjectSlug.parse(`r${++projects}`);
	const bare = path.join(root, `${slug}.git`);
	git(root, "clone", "--quiet", "--bare", freshRepository(files), bare);
	git(bare, "config", "http.receivepack", "true");
	const stranger = freshFolder();
	git(stranger, "clone", "--quiet", bare, "there");
	const there = path.join(stranger, "there");
	const url = http ? `${server.url}/${slug}.git` : `file://${bare}`;
	const local = path.join(stranger, "local");
	if (kind === "local") {
		git(stranger, "clone", "--quiet", bare, local);
		git(local, "remote", "set-url", "origin", url);
	}
	const project = await daemon.client.call("projectAdd", {
		body: { slug, path: kind === "url" ? url : local },
	});
	writeFileSync(path.join(daemon.home, "projects", slug, "config.yaml"), settings);
	const agent = async (request = {}): Promise<Agent> =>
		await daemon.client.ask("agentAddTo", { params: { project: slug }, body: { type: "scripted", ...request } });
	return {
		slug,
		bare,
		repository: project.path,
		agent,
		push(changes, ...options) {
			git(there, "fetch", "--quiet");
			if (!options.includes("--force")) git(there, "reset", "--quiet", "--hard", "origin/main");
			for (const [name, text] of Object.entries(changes)) writeFileSync(path.join(there, name), text);
			git(there, "add", "--all");
			git(
				there,
				...person,
				"commit",
				"--quiet",
				"--message=stranger",
				...(options.includes("--force") ? ["--amend"] : []),
			);
			git(there, "push", "--quiet", ...options, "origin", "HEAD:main");
			return git(there, "rev-parse", "HEAD");
		},
		async worker(name, changes, request = {}) {
			const made = await agent({ name, ...request });
			for (const [file, text] of Object.entries(changes)) writeFileSync(at(made, file), text);
			await daemon.client.call("commit", { ...params(made), body: { message: `Work of ${name}` } });
			return made;
		},
		main: (folder = project.path) => git(folder, "rev-parse", "refs/heads/main"),
	};
}

const approve = async (agent: Agent, body: { strategy?: "ff" | "merge" | "squash" | "rebase" } = {}) =>
	await daemon.client.call("approve", { ...params(agent), body });
const has = (folder: string, commit: string, branch = "main"): boolean =>
	git(folder, "branch", "--contains", commit, "--format=%(refname)").split("\n").includes(`refs/heads/${branch}`);

describe.each(["url", "local"] as const)("a project by %s", (kind) => {
	test("fetches nothing into branches or refs of ours, whatever its configuration says", async () => {
		const it = await remote(kind);
		const one = await it.worker("one", { "one.txt": "1\n" });
		const snapshot = `refs/brood/snapshots/${one.id}/1`;
		git(it.bare, "branch", "mine", "main");
		git(it.repository, "branch", "mine", "brood/one");
		const kept = (): string[] => [`refs/heads/mine`, snapshot].map((ref) => git(it.repository, "rev-parse", ref));
		await daemon.client.call("fork", { ...params(one), body: { type: "human" } });
		const before = kept();
		git(it.repository, "config", "--add", "remote.origin.fetch", "+refs/heads/mine:refs/heads/mine");
		git(it.repository, "config", "--add", "remote.origin.fetch", `+refs/heads/main:${snapshot}`);
		it.push({ "theirs.txt": "t\n" });
		const { origin } = await daemon.client.call("syncProject", { params: { project: it.slug }, body: {} });
		expect(origin).toMatchObject({ error: null });
		expect(git(it.repository, "show", "origin/main:theirs.txt")).toBe("t");
		expect(kept()).toEqual(before);
		// the control is plain git
		git(it.repository, "fetch", "--quiet", "--no-auto-maintenance");
		expect(kept()).toEqual([git(it.bare, "rev-parse", "mine"), it.main(it.bare)]);
	});

	test("takes in what origin has before an approve, and pushes where it is told to", async () => {
		const it = await remote(kind, "push: approve\n");
		const [one, two] = [await it.worker("one", { "one.txt": "1\n" }), await it.worker("two", { "two.txt": "2\n" })];
		await approve(one);
		expect(it.main(it.bare)).toBe(it.main());
		const theirs = it.push({ "theirs.txt": "t\n" });
		const { merged } = await approve(two);
		expect(merged.push).toMatchObject({ pushed: true, error: null });
		expect(merged.origin).toMatchObject({ ahead: 0, behind: 0, took: 1, error: null });
		expect([it.main(it.bare), has(it.bare, theirs)]).toEqual([it.main(), true]);
		expect(git(it.bare, "show", "main:one.txt", "main:two.txt", "main:theirs.txt")).toBe("1\n2\nt");
	});

	test("says on both sides what is not pushed, and how far the two are apart", async () => {
		const it = await remote(kind);
		const one = await it.worker("one", { "one.txt": "1\n" });
		const { merged } = await approve(one);
		expect(merged).toMatchObject({ push: null, origin: { ahead: 2, behind: 0 } });
		expect(mergeNote(merged)).toBe("main is 2 commits ahead of origin/main, not pushed.");
		it.push({ "theirs.txt": "t\n" });
		const before = it.main();
		const { origin } = await daemon.client.call("syncProject", { params: { project: it.slug }, body: {} });
		expect(origin).toMatchObject({ ahead: 2, behind: 1, rewritten: false, error: null });
		expect(origin && remoteText(origin)).toBe("main has diverged from origin/main: 2 ahead, 1 behind.");
		expect((await daemon.client.call("sync", { ...params(one), body: {} })).origin).toEqual(origin);
		expect(it.main()).toBe(before);
		const two = await it.worker("two", { "two.txt": "2\n" });
		expect((await approve(two)).merged.origin).toMatchObject({ ahead: 5, behind: 0, took: 1 });
		expect(git(it.repository, "show", "main:theirs.txt")).toBe("t");
		// nothing but the other person's push
		expect(git(it.bare, "log", "--format=%s", "main")).toBe("stranger\nbegin");
	});

	test("names the files where the two sides conflict, and merges nothing", async () => {
		const it = await remote(kind, "", { files: { "a.txt": "one\n" } });
		await approve(await it.worker("one", { "a.txt": "ours\n" }));
		const theirs = it.push({ "a.txt": "theirs\n" });
		const two = await it.worker("two", { "two.txt": "2\n" });
		const before = it.main();
		const refused = await refusal(approve(two));
		expect(refused).toMatchObject({ code: "MERGE_CONFLICT", details: { files: ["a.txt"], ahead: 2, behind: 1 } });
		expect(it.main()).toBe(before);
		// as the message suggests: an agent merges the two, and its merge is approved
		await daemon.turn(
			two,
			`run git merge --quiet main; git merge --quiet ${theirs}; echo both > a.txt; git add a.txt; git commit --quiet --no-edit`,
		);
		await approve(two);
		expect([git(it.repository, "show", "main:a.txt"), has(it.repository, theirs)]).toEqual(["both", true]);
	});

	test("finds branches that only the remote has", async () => {
		const it = await remote(kind);
		const next = it.push({ "next.txt": "n\n" });
		git(it.bare, "update-ref", "refs/heads/next", next);
		git(it.bare, "update-ref", "refs/heads/main", `${next}~1`);
		const agent = await it.agent({ from: "next" });
		expect(agent.workspace?.base).toBe("next");
		expect(git(at(agent), "show", "HEAD:next.txt")).toBe("n");
	});

	test("goes on without a remote that is away, and says so", async () => {
		const it = await remote(kind, "push: approve\n");
		const one = await it.worker("one", { "one.txt": "1\n" });
		renameSync(it.bare, `${it.bare}.away`);
		const { merged } = await approve(one);
		expect(merged.push).toMatchObject({
			pushed: false,
			error: expect.stringMatching(/^fatal: '[^\n]*' does not appear to be a git repository$/),
		});
		expect(merged.origin).toMatchObject({
			ahead: 2,
			error: expect.stringMatching(/does not appear to be a git repository|could not read|not found/),
		});
		expect(git(it.repository, "show", "main:one.txt")).toBe("1");
		renameSync(`${it.bare}.away`, it.bare);
		await approve(await it.worker("two", { "two.txt": "2\n" }));
		expect(it.main(it.bare)).toBe(it.main());
	});
});

describe("a push", () => {
	test("that comes second takes in what came first, and is made again", async () => {
		const it = await remote("url", "push: approve\n", { http: true });
		const one = await it.worker("one", { "one.txt": "1\n" });
		let theirs = "";
		server.beforePush = () => {
			theirs = it.push({ "theirs.txt": "t\n" });
		};
		const { merged } = await approve(one);
		expect(merged).toMatchObject({ push: { pushed: true }, origin: { ahead: 0, behind: 0 } });
		expect([theirs !== "", has(it.bare, theirs), it.main(it.bare)]).toEqual([true, true, it.main()]);
	});

	test("that always comes second is given up and says so; nothing is lost, and the next one pushes all", async () => {
		const it = await remote("url", "push: approve\n", { http: true });
		const one = await it.worker("one", { "one.txt": "1\n" });
		const theirs: string[] = [];
		const before = (): void => {
			theirs.push(it.push({ [`theirs${theirs.length}.txt`]: "t\n" }));
			server.beforePush = before;
		};
		server.beforePush = before;
		const { merged } = await approve(one).finally(() => {
			server.beforePush = null;
		});
		expect([merged.push?.pushed, theirs.length]).toEqual([false, 5]);
		expect(merged.push?.error).toMatch(/\nsomebody else pushed first, 5 times in a row; the next approve/);
		expect([git(it.repository, "show", "main:one.txt"), it.main(it.bare)]).toEqual(["1", theirs.at(-1)]);
		await approve(await it.worker("two", { "two.txt": "2\n" }));
		expect(it.main(it.bare)).toBe(it.main());
		expect(git(it.bare, "show", "main:one.txt", "main:two.txt", "main:theirs4.txt")).toBe("1\n2\nt");
	});

	test("that a hook refuses says what the hook said; the merge stands, and goes along next time", async () => {
		const it = await remote("url", "push: approve\n", { http: true });
		const hook = path.join(it.bare, "hooks", "pre-receive");
		mkdirSync(path.dirname(hook), { recursive: true });
		writeFileSync(hook, "#!/bin/sh\necho 'main is protected' >&2\necho 'ask the owners' >&2\nexit 1\n");
		chmodSync(hook, 0o755);
		const { merged } = await approve(await it.worker("one", { "one.txt": "1\n" }));
		expect(merged.push?.error).toMatch(
			/^main is protected\nask the owners\n! \[remote rejected\].*pre-receive hook declined/,
		);
		expect(mergeNote(merged)).toMatch(
			/^Not pushed: main is protected; ask the owners; ! \[remote rejected\] .*\(pre-receive hook declined\)\. main is 2 commits ahead/,
		);
		expect(merged.origin).toMatchObject({ ahead: 2, behind: 0 });
		chmodSync(hook, 0o644);
		await approve(await it.worker("two", { "two.txt": "2\n" }));
		expect(it.main(it.bare)).toBe(it.main());
	});

	test("never waits for a password, whatever program the person's configuration would ask with", async () => {
		const it = await remote("local", "push: approve\n", { http: true });
		const one = await it.worker("one", { "one.txt": "1\n" });
		server.locked = true;
		try {
			const { merged } = await approve(one);
			const advice = /could not read Username.*; Brood never asks for a password: set up a credential helper/;
			expect(merged.push?.error).toMatch(advice);
			expect(merged.origin?.error).toMatch(advice);
		} finally {
			server.locked = false;
		}
	});

	test("of two approves at once has the work of both", async () => {
		const it = await remote("url", "push: approve\n");
		const [one, two] = [await it.worker("one", { "one.txt": "1\n" }), await it.worker("two", { "two.txt": "2\n" })];
		const both = await Promise.all([approve(one), approve(two)]);
		expect(both.map(({ merged }) => merged.push?.pushed)).toEqual([true, true]);
		expect(it.main(it.bare)).toBe(it.main());
		expect(git(it.bare, "show", "main:one.txt", "main:two.txt")).toBe("1\n2");
	});
});

describe("origin was force-pushed", () => {
	test("a bare clone without work of its own follows; what was dropped there does not come back", async () => {
		const it = await remote("url");
		const dropped = it.push({ "secret.txt": "s\n" });
		const one = await it.agent({ name: "one" });
		expect(has(it.repository, dropped)).toBe(true);
		const kept = it.push({ "secret.txt": "" }, "--force");
		const { origin } = await daemon.client.call("syncProject", { params: { project: it.slug }, body: {} });
		expect(origin).toMatchObject({ ahead: 0, behind: 0, took: 1, rewritten: true });
		expect([it.main(), git(at(one), "rev-parse", "HEAD")]).toEqual([kept, kept]);
		expect(git(it.repository, "for-each-ref", "--format=%(objectname)", "refs/brood/branches/main")).toBe(dropped);
	});

	test("work that was merged and not pushed is put on top of what is there now", async () => {
		const it = await remote("url", "push: never\nmerge: squash\n");
		const dropped = it.push({ "secret.txt": "s\n" });
		const one = await it.worker("one", { "one.txt": "1\n" });
		await approve(one);
		const kept = it.push({ "secret.txt": "" }, "--force");
		const { origin } = await daemon.client.call("syncProject", { params: { project: it.slug }, body: {} });
		expect(origin).toMatchObject({ rewritten: true, behind: 1 });
		const { merged } = await approve(await it.worker("two", { "two.txt": "2\n" }));
		expect(merged.origin).toMatchObject({ ahead: 2, behind: 0, rewritten: false });
		expect([has(it.repository, kept), has(it.repository, dropped)]).toEqual([true, false]);
		expect(git(it.repository, "show", "main:one.txt", "main:two.txt")).toBe("1\n2");
		// the first one's work counts as merged all the same
		expect((await daemon.client.call("release", { ...params(one), body: {} })).branchStatus.ahead).toBe(0);
	});

	test("a person's checkout is not rewritten: the answer says what to run, and after that it goes through", async () => {
		const it = await remote("local");
		it.push({ "secret.txt": "s\n" });
		await approve(await it.worker("one", { "one.txt": "1\n" }));
		it.push({ "secret.txt": "" }, "--force");
		const two = await it.worker("two", { "two.txt": "2\n" });
		const { code, suggestions } = await refusal(approve(two));
		const [command = ""] = suggestions;
		expect([code, command.startsWith(`git -C ${it.repository} `)]).toEqual(["CONFLICT", true]);
		git(it.repository, ...person, ...command.split(" ").slice(3));
		expect((await approve(two)).merged.origin).toMatchObject({ behind: 0, rewritten: false });
	});
});

test("names origin where only that conflicts with the work, and what is suggested resolves it", async () => {
	const it = await remote("local", "", { files: { "a.txt": "one\n" } });
	const one = await it.worker("one", { "a.txt": "ours\n" });
	const theirs = it.push({ "a.txt": "theirs\n" });
	// main of the person's clone is not in conflict
	const named = theirs.slice(0, 12);
	expect(await refusal(approve(one))).toEqual({
		code: "MERGE_CONFLICT",
		message: "origin/main and brood/one both changed a.txt. Nothing was changed.",
		details: { files: ["a.txt"] },
		suggestions: [
			`brood prompt ${it.slug}/one "Merge ${named}, which is origin/main, into your branch, resolve the conflicts and commit."`,
			`brood agent diff ${it.slug}/one`,
		],
	});
	const resolved = "echo both > a.txt; git add a.txt; git commit --quiet --no-edit";
	await daemon.turn(one, `run git merge --quiet ${named}; ${resolved}`);
	await approve(one);
	expect([git(it.repository, "show", "main:a.txt"), has(it.repository, theirs)]).toEqual(["both", true]);
});

test("a server that takes the connection and never answers is not asked again for the push", async () => {
	const world = makeWorld({ fetchWaitMs: 1 });
	await using silent = await silentServer();
	world.git(world.repository, "remote", "add", "origin", silent.url);
	world.configure("push: approve\n");
	const checkout = await world.agent("a");
	write(checkout.workspace.path, "work.txt", "w\n");
	const { commit } = agreed(await world.workspaces.commit(checkout, { message: "Work" }));
	const { push, origin } = agreed(await world.workspaces.approve(checkout, { commit }));
	expect([push?.pushed, push?.error]).toEqual([false, "origin does not answer; the next push includes it"]);
	expect(origin?.error).toMatch(/^no answer within .* s; the fetch goes on in the background$/);
	expect(world.git(world.repository, "show", "main:work.txt")).toBe("w");
	expect(world.commands.filter((args) => args.includes("push"))).toEqual([]);
});

test("an approve is pushed also while another fetch runs that nobody has given up", async () => {
	const world = makeWorld();
	const bare = path.join(root, "busy.git");
	world.git(root, "clone", "--quiet", "--bare", world.repository, bare);
	world.git(bare, "config", "http.receivepack", "true");
	world.git(world.repository, "remote", "add", "origin", `${server.url}/busy.git`);
	const [checks, go] = [path.join(world.root, "checks"), path.join(world.root, "go")];
	world.configure(`push: approve\ncheck: touch ${checks}; until [ -e ${go} ]; do sleep 0.02; done\n`);
	const checkout = await world.agent("a");
	write(checkout.workspace.path, "work.txt", "w\n");
	const { commit } = agreed(await world.workspaces.commit(checkout, { message: "Work" }));
	const approved = world.workspaces.approve(checkout, { commit });
	await expect.poll(() => existsSync(checks), { timeout: 20_000 }).toBe(true);
	// begins after the approve's own fetch, and ends after its push
	const pushed = Promise.withResolvers<void>();
	server.beforeFetch = async () => {
		writeFileSync(go, "");
		await pushed.promise;
	};
	const fetched = world.workspaces.refresh(world.project);
	const { push } = agreed(await approved);
	expect([push?.pushed, push?.error]).toEqual([true, null]);
	expect(world.git(bare, "show", "main:work.txt")).toBe("w");
	pushed.resolve();
	expect((await fetched)?.error).toBe(null);
});

test.each(["git@example.invalid: Permission denied (publickey).", "Host key verification failed."])(
	"says what ssh said, and not only that git could not read: %s",
	async (reason) => {
		const world = makeWorld();
		const ssh = path.join(world.root, "ssh");
		write(world.root, "ssh", `#!/bin/sh\nprintf '${reason}\\r\\n' >&2\nexit 255\n`);
		chmodSync(ssh, 0o755);
		world.git(world.root, "config", "--global", "core.sshCommand", ssh);
		world.git(world.repository, "remote", "add", "origin", "git@example.invalid:x.git");
		world.configure("push: approve\n");
		const checkout = await world.agent("a");
		write(checkout.workspace.path, "work.txt", "w\n");
		const { commit } = agreed(await world.workspaces.commit(checkout, { message: "Work" }));
		const { push, origin } = agreed(await world.workspaces.approve(checkout, { commit }));
		expect([push?.error, origin?.error]).toEqual([reason, reason]);
		expect(world.git(world.repository, "show", "main:work.txt")).toBe("w");
	},
);

test("integrate: rebase keeps the history straight; never leaves the two apart and says so", async () => {
	const it = await remote("url", "integrate: rebase\nmerge: squash\n");
	const config = path.join(daemon.home, "projects", it.slug, "config.yaml");
	await approve(await it.worker("one", { "one.txt": "1\n" }));
	it.push({ "theirs.txt": "t\n" });
	await approve(await it.worker("two", { "two.txt": "2\n" }));
	expect(git(it.repository, "log", "--format=%s", "main")).toBe("Work of two\nWork of one\nstranger\nbegin");
	it.push({ "theirs.txt": "more\n" });
	writeFileSync(config, "integrate: never\n");
	const { merged } = await approve(await it.worker("three", { "three.txt": "3\n" }));
	expect(merged.origin).toMatchObject({ behind: 1, took: 0 });
	appendFileSync(config, "push: approve\n");
	const { merged: last } = await approve(await it.worker("four", { "four.txt": "4\n" }));
	expect(last.push).toMatchObject({ pushed: false, error: expect.stringMatching(/rejected/) });
});

test("an issue's approve fetches, integrates, pushes, records and reports as an agent's does", async () => {
	const it = await remote("url", "push: approve\n");
	const one = await it.agent({ name: "one" });
	const theirs = it.push({ "theirs.txt": "t\n" });
	const added = await daemon.client.ask("issueAdd", {
		params: { project: it.slug },
		body: { title: "Write", body: "write one.txt 1" },
	});
	const issue = { params: { issue: `${it.slug}#${added.number}` } };
	await daemon.client.ask("issueAssign", { ...issue, body: { agent: one.id } });
	await expect
		.poll(async () => (await daemon.client.call("issue", issue)).waiting, { timeout: 20_000 })
		.toBe("approval");
	const last = it.push({ "last.txt": "l\n" });
	const done = await daemon.client.ask("issueApprove", { ...issue, body: {} });
	expect(done.mergeNote).toMatch(/^Pushed to origin\. .*main is up to date with origin\/main\.$/);
	expect([it.main(it.bare), has(it.bare, theirs), has(it.bare, last)]).toEqual([it.main(), true, true]);
	const { events } = await daemon.client.call("journal", { query: { agent: one.id, kind: "workspace" } });
	expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["workspace.merged", "workspace.pushed"]));
});
