// Issues through a whole daemon: real processes, real git, the command line and the wire. Each test has a home and a
// repository of its own and waits for agents most of the time, so two run at once.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { shell } from "#test/support/cli.ts";
import { freshFolder } from "#test/support/stores.ts";

const git = (folder: string, ...args: string[]): string =>
	execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
		encoding: "utf8",
	}).trim();

function repository(): string {
	const folder = freshFolder();
	git(folder, "init", "--quiet", "--initial-branch=main");
	writeFileSync(path.join(folder, "README.md"), "# Web\n");
	git(folder, "add", ".");
	git(folder, "commit", "--quiet", "--message=Begin");
	return folder;
}

function configure(home: string, config: object): void {
	const file = path.join(home, "projects/web/config.yaml");
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, JSON.stringify(config));
}

// the longest goes first, so that the others run beside it
test.concurrent("`brood demo` does five issues and leaves nobody behind", { timeout: 120_000 }, async () => {
	await using place = shell();
	const { json } = place;
	const { code, data } = await json("demo");
	expect([code, data.map(({ stage, preset }: { stage: string; preset: string }) => [stage, preset])]).toEqual([
		0,
		Array.from({ length: 5 }, () => ["DONE", "quick-fix"]),
	]);
	expect(
		(await json("agent", "list")).data.filter(
			({ label, project }: { label: string; project: string | null }) => project !== null && label !== "deleted",
		),
	).toEqual([]);
});

test.concurrent("an issue goes from the command line through a worktree into main", { timeout: 120_000 }, async () => {
	await using place = shell();
	const { json, home } = place;
	const folder = repository();
	await json("project", "add", folder, "--name", "web");
	const body = "write font.txt Inter\ncommit Use Inter\nsay done";
	const added = await json(
		"issue",
		"add",
		"Replace the font",
		"--project",
		"web",
		"--body",
		body,
		"--label",
		"ux",
		"--priority",
		"high",
	);
	expect(added.data).toMatchObject({
		number: 1,
		project: "web",
		stage: "TODO",
		preset: "lean",
		labels: ["ux"],
		priority: "high",
		runs: [],
		assignee: null,
	});
	const document = async (...words: string[]) =>
		(await json("issue", "document", "web#1", "specs/font.md", ...words)).data.documents;
	await document("Inter 3", "--type", "spec");
	expect(await document("Inter 4")).toMatchObject([{ version: 2, type: "spec", text: "Inter 4" }]);
	expect((await json("issue", "documents", "web#1")).data).toMatchObject([{ text: "Inter 3" }, { text: "Inter 4" }]);
	// where its prompt will say, from the beginning
	expect(readFileSync(path.join(home, "projects/web/issues/1/specs/font.md"), "utf8")).toBe("Inter 4");
	const ready = async () =>
		(await json("issue", "list", "--project", "web", "--ready", "--priority", "high")).data.length;
	expect([await ready(), (await json("issue", "list", "--project", "web", "--priority", "low")).data]).toEqual([1, []]);
	await json("agent", "add", "opus", "--project", "web", "--type", "scripted");
	const assigned = await json("task", "assign", "web#1", "opus");
	expect(await ready()).toBe(0);
	expect(assigned.data).toMatchObject({
		stage: "IN_PROGRESS",
		branch: "issue/1-replace-the-font",
		assigneeHandle: "opus",
	});
	expect((await json("issue", "wait", "web#1", "--for", "attention", "--timeout", "60")).data).toMatchObject({
		stage: "IN_REVIEW",
		waiting: "approval",
	});
	const shown = (await json("issue", "show", "web#1")).data;
	expect(shown).toMatchObject({
		commit: git(folder, "rev-parse", "issue/1-replace-the-font"),
		artifacts: { path: path.join(home, "projects/web/issues/1"), files: ["specs/font.md"] },
	});
	expect(readFileSync(path.join(shown.artifacts.path, "specs/font.md"), "utf8")).toBe("Inter 4");
	expect(shown.runs).toMatchObject([
		{ stage: "IN_PROGRESS", handle: "opus", state: "completed", work: true, durationMs: expect.any(Number) },
	]);
	expect(git(folder, "log", "-1", "--format=%(trailers:key=Brood-Stage,valueonly)", "issue/1-replace-the-font")).toBe(
		"IN_PROGRESS",
	);
	writeFileSync(path.join(shown.artifacts.path, "specs/notes.md"), "Inter");
	expect((await json("issue", "show", "web#1")).data.artifacts.files).toEqual(["specs/font.md", "specs/notes.md"]);
	expect(await json("issue", "move", "web#1", "done")).toMatchObject({
		code: 1,
		error: { code: "INVALID_TRANSITION" },
	});
	expect(await json("issue", "approve", "web#1", "--commit", "1234567")).toMatchObject({
		code: 1,
		error: { code: "CONFLICT" },
	});
	const approved = await json("issue", "approve", "web#1", "--commit", shown.commit);
	expect(approved.data).toMatchObject({
		stage: "DONE",
		approvedBy: "human",
		mergedCommit: git(folder, "rev-parse", "main"),
	});
	expect(readFileSync(path.join(folder, "font.txt"), "utf8")).toBe("Inter\n");
	const merges = (await json("events", "--kind", "workspace.merged")).data;
	expect(merges).toMatchObject([
		{ data: { reviewed: shown.commit, commit: approved.data.mergedCommit, base: "main" } },
	]);
	const agent = (await json("agent", "status", "opus")).data;
	expect(agent).toMatchObject({
		issue: null,
		stage: null,
		totalTasksCompleted: 1,
		label: "idle",
		workspace: { branch: "brood/opus" },
	});
	expect(git(agent.workspace.path, "branch", "--show-current")).toBe("brood/opus");
	expect((await json("issue", "list", "font", "--project", "web", "--stage", "done")).data).toHaveLength(1);
	expect((await json("issue", "list", "--project", "web", "--label", "docs")).data).toEqual([]);
	expect(await json("issue", "wait", "web#1", "--for", "stage", "--timeout", "0")).toMatchObject({
		code: 124,
		error: { code: "TIMEOUT" },
	});
	expect(await json("issue", "show", "web#9")).toMatchObject({ code: 1, error: { code: "NOT_FOUND" } });
});

test.concurrent("an agent with changes is not given an issue, and a merge that conflicts leaves everything as it was", {
	timeout: 120_000,
}, async () => {
	await using place = shell();
	const { json, brood } = place;
	const folder = repository();
	await json("project", "add", folder, "--name", "web");
	const { data: agent } = await json("agent", "add", "opus", "--project", "web", "--type", "scripted");
	writeFileSync(path.join(agent.workspace.path, "loose.txt"), "mine\n");
	await json(
		"issue",
		"add",
		"Change the title",
		"--project",
		"web",
		"--body",
		"run echo '# Other' > README.md\ncommit Change the title",
	);
	expect(await json("issue", "assign", "web#1", "opus")).toMatchObject({
		code: 1,
		error: { code: "WORKTREE_DIRTY", suggestions: [expect.stringContaining("diff"), expect.any(String)] },
	});
	// people see what is not committed
	expect((await brood("issue", "assign", "web#1", "opus")).err).toMatch(
		/^WORKTREE_DIRTY: .*\n {2}\?\? loose\.txt\n {2}try: /,
	);
	await brood("agent", "commit", "opus", "--message", "loose", "--project", "web");
	await json("issue", "assign", "web#1", "opus");
	expect((await json("issue", "wait", "web#1", "--for", "attention", "--timeout", "60")).data.waiting).toBe("approval");
	writeFileSync(path.join(folder, "README.md"), "# Mine\n");
	git(folder, "commit", "--quiet", "--all", "--message=Mine");
	const before = git(folder, "rev-parse", "main");
	expect(await json("issue", "approve", "web#1")).toMatchObject({
		code: 1,
		error: { code: "MERGE_CONFLICT", message: expect.stringContaining("README.md") },
	});
	expect((await brood("issue", "approve", "web#1")).err).toMatch(
		/^MERGE_CONFLICT: .*\n {2}README\.md\n {2}try: brood prompt web\/opus "Merge main into your branch/,
	);
	expect([git(folder, "rev-parse", "main"), (await json("issue", "show", "web#1")).data]).toMatchObject([
		before,
		{ stage: "IN_REVIEW", waiting: "approval", attention: { code: "MERGE_CONFLICT" } },
	]);
});

test.concurrent("what a killed agent leaves is taken up by the next one, on the same branch", {
	timeout: 120_000,
}, async ({ expect }) => {
	await using place = shell();
	const { json } = place;
	const folder = repository();
	await json("project", "add", folder, "--name", "web");
	await json(
		"issue",
		"add",
		"Long work",
		"--project",
		"web",
		"--body",
		"run test -f a.txt || { echo one > a.txt; git add a.txt; git commit -qm one; sleep 100; }\nwork_complete ok",
	);
	const { data: first } = await json("agent", "add", "first", "--project", "web", "--type", "scripted");
	await json("agent", "add", "second", "--project", "web", "--type", "scripted");
	await json("issue", "assign", "web#1", "first");
	await expect.poll(() => git(folder, "log", "--all", "--format=%s").split("\n")[0], { timeout: 30_000 }).toBe("one");
	writeFileSync(path.join(first.workspace.path, "loose.txt"), "not committed\n");
	await json("agent", "kill", "first");
	expect((await json("issue", "wait", "web#1", "--for", "attention", "--timeout", "30")).data).toMatchObject({
		assignee: null,
		attention: { reason: expect.stringContaining("killed") },
	});
	await json("issue", "assign", "web#1", "second");
	expect(
		(await json("issue", "wait", "web#1", "--for", "stage", "--stage", "in_review", "--timeout", "60")).data,
	).toMatchObject({ stage: "IN_REVIEW" });
	expect(readFileSync(path.join(first.workspace.path, "loose.txt"), "utf8")).toBe("not committed\n");
	expect((await json("issue", "approve", "web#1")).data.stage).toBe("DONE");
	expect(existsSync(path.join(folder, "a.txt"))).toBe(true);
});

test.concurrent("a project's own preset with a gate that a command keeps: no goes back with what it said, yes goes on", {
	timeout: 120_000,
}, async ({ expect }) => {
	await using place = shell();
	const { json, home } = place;
	const folder = repository();
	await json("project", "add", folder, "--name", "web");
	const command = "test -f b.txt || { echo there is no b.txt >&2; exit 1; }";
	configure(home, {
		presets: {
			tested: {
				stages: [
					{ name: "TODO", next: "BUILD" },
					{ name: "BUILD", next: "DONE", prompt: "You build {{title}}.\n{{body}}", gate: { command } },
					{ name: "DONE", final: true },
				],
			},
			odd: {
				stages: [
					{ name: "TODO", next: "GONE" },
					{ name: "DONE", final: true },
				],
			},
		},
	});
	expect((await json("project", "presets", "web")).data).toMatchObject([
		{ name: "tested", shipped: false },
		{ name: "odd", loaded: { broken: expect.stringContaining("GONE") } },
		{ name: "lean" },
		{},
		{},
		{},
	]);
	expect(await json("issue", "add", "x", "--project", "web", "--preset", "odd")).toMatchObject({
		code: 1,
		error: { code: "VALIDATION_ERROR" },
	});
	await json(
		"issue",
		"add",
		"Build it",
		"--project",
		"web",
		"--preset",
		"tested",
		"--body",
		"run test -f a.txt && echo two > b.txt; echo one > a.txt; true",
	);
	await json("agent", "add", "opus", "--project", "web", "--type", "scripted");
	await json("issue", "assign", "web#1", "opus");
	const after = async (runs: number) =>
		await expect
			.poll(
				async () =>
					(await json("issue", "show", "web#1")).data.runs.filter((run: { state: string }) => run.state === "completed")
						.length,
				{
					timeout: 30_000,
				},
			)
			.toBe(runs);
	await after(1);
	await expect
		.poll(async () => (await json("issue", "show", "web#1")).data, { timeout: 30_000 })
		.toMatchObject({
			stage: "BUILD",
			waiting: null,
			messages: [{ stage: "BUILD", text: expect.stringContaining("there is no b.txt"), delivered: false }],
		});
	await json("issue", "assign", "web#1", "opus");
	expect((await json("issue", "wait", "web#1", "--timeout", "60")).data).toMatchObject({
		stage: "DONE",
		approvedBy: "system",
		mergedCommit: git(folder, "rev-parse", "main"),
	});
	expect(existsSync(path.join(folder, "b.txt"))).toBe(true);
});

test.concurrent("whoever has changes in its workspace is not available, and automatic work passes it over", {
	timeout: 120_000,
}, async () => {
	await using place = shell();
	const { json } = place;
	await json("project", "add", repository(), "--name", "web");
	const { data: untidy } = await json("agent", "add", "untidy", "--project", "web", "--type", "scripted");
	const handles = async (): Promise<string[]> =>
		(await json("agent", "list", "--available", "--project", "web")).data.map(
			({ handle }: { handle: string }) => handle,
		);
	expect(await handles()).toEqual(["untidy"]);
	writeFileSync(path.join(untidy.workspace.path, "loose.txt"), "mine\n");
	expect(await handles()).toEqual([]);
	await json("issue", "add", "Say something", "--project", "web", "--body", "work_complete said");
	await json("project", "auto", "on", "--project", "web", "--agents-max", "2", "--type", "scripted");
	const { data: issue } = await json(
		"issue",
		"wait",
		"web#1",
		"--for",
		"stage",
		"--stage",
		"in_review",
		"--timeout",
		"60",
	);
	expect(issue.runs).toMatchObject([{ work: true, handle: expect.not.stringMatching(/^untidy$/) }]);
	expect(readFileSync(path.join(untidy.workspace.path, "loose.txt"), "utf8")).toBe("mine\n");
});

test.concurrent("an agent has the command line in its shell, and speaks there for its own issue only", {
	timeout: 120_000,
}, async () => {
	await using place = shell();
	const { json } = place;
	await json("project", "add", repository(), "--name", "web");
	await json("agent", "add", "opus", "--project", "web", "--type", "scripted");
	await json("issue", "add", "Not its own", "--project", "web");
	const body = [
		"run brood issue comment web#1 'not mine'",
		"run brood issue comment mine 'I am at it.'",
		"run brood issue complete --summary 'All said.'",
	];
	await json("issue", "add", "Its own", "--project", "web", "--body", body.join("\n"));
	await json("issue", "assign", "web#2", "opus");
	const { data: own } = await json(
		"issue",
		"wait",
		"web#2",
		"--for",
		"stage",
		"--stage",
		"in_review",
		"--timeout",
		"60",
	);
	expect(own.runs).toMatchObject([{ work: true, summary: "All said." }]);
	expect((await json("issue", "show", "web#2")).data.comments).toMatchObject([
		{ text: "I am at it.", by: `agent:${own.runs[0].agent}` },
	]);
	expect((await json("issue", "show", "web#1")).data.comments).toEqual([]);
	const { data: items } = await json("log", "opus", "--project", "web");
	expect(items.find(({ kind }: { kind: string }) => kind === "tool_result").text).toContain("FORBIDDEN");
});

test.concurrent("where the project pushes after each turn, what was committed for the agent is pushed too", {
	timeout: 120_000,
}, async () => {
	await using place = shell();
	const { json, home } = place;
	const [folder, remote] = [repository(), freshFolder()];
	git(remote, "init", "--quiet", "--bare");
	git(folder, "remote", "add", "origin", remote);
	await json("project", "add", folder, "--name", "web");
	configure(home, { push: "settle" });
	await json("agent", "add", "opus", "--project", "web", "--type", "scripted");
	await json(
		"issue",
		"add",
		"Leave it lying",
		"--project",
		"web",
		"--body",
		"write a.txt one\nwork_complete There it lies.",
	);
	await json("issue", "assign", "web#1", "opus");
	const { data: issue } = await json(
		"issue",
		"wait",
		"web#1",
		"--for",
		"stage",
		"--stage",
		"in_review",
		"--timeout",
		"60",
	);
	const [subject, trailer] = git(folder, "log", "-1", "--format=%s%n%(trailers:key=Brood-Issue)", issue.commit).split(
		"\n",
	);
	expect([subject, trailer]).toEqual(["Leave it lying", `Brood-Issue: ${issue.project}#1`]);
	expect(git(remote, "rev-parse", "refs/heads/issue/1-leave-it-lying")).toBe(issue.commit);
});

test.concurrent("a preset that the repository brings counts once somebody has approved exactly that", {
	timeout: 120_000,
}, async () => {
	await using place = shell();
	const { json, brood } = place;
	const folder = repository();
	const autorunFiles = (command: string): void => {
		const stages = [
			{ name: "TODO", next: "CHECK" },
			{ name: "CHECK", next: "DONE", gate: { command } },
			{ name: "DONE", final: true },
		];
		// one of them has the name of one that is shipped
		writeFileSync(
			path.join(folder, ".brood.yaml"),
			JSON.stringify({ presets: { checked: { stages }, lean: { stages } } }),
		);
		git(folder, "add", ".");
		git(folder, "commit", "--quiet", "--message=Bring a preset");
	};
	autorunFiles("true");
	await json("project", "add", folder, "--name", "web");
	const add = async () => await json("issue", "add", "Check it", "--project", "web", "--preset", "checked");
	expect(await add()).toMatchObject({
		code: 1,
		error: { code: "VALIDATION_ERROR", message: expect.stringContaining("brood project settings web") },
	});
	expect((await json("issue", "add", "Lean", "--project", "web")).data).toMatchObject({
		number: 1,
		stage: "TODO",
		preset: "lean",
		broken: null,
	});
	const shown = (await brood("project", "settings", "web")).out;
	expect(shown).toContain("checked CHECK: true");
	await json("project", "approve-config", "web", /approve-config web (\w+)/.exec(shown)?.[1] ?? "");
	expect((await add()).data).toMatchObject({ number: 2, preset: "checked" });
	await json("issue", "start", "web#2");
	expect((await json("issue", "wait", "web#2", "--timeout", "30")).data).toMatchObject({ stage: "DONE" });
	autorunFiles("rm -rf /");
	expect(await add()).toMatchObject({ code: 1, error: { code: "VALIDATION_ERROR" } });
	expect((await json("issue", "show", "web#2")).data).toMatchObject({
		broken: expect.stringContaining("nobody has approved"),
	});
});
