// Names that could be read as something else: a path, an option, another ref. Wherever a person's words enter, nothing
// appears outside of the project's folders and git is never given one of them as an option.
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Handle, ProjectSlug } from "#contract/ids.ts";
import { ProjectConfig } from "#contract/project-config.ts";
import { isRefusal } from "#contract/refusal.ts";
import { makeWorld } from "#test/support/make-world.ts";
import { agreed, fingerprint, identity, type World, write } from "#test/support/world.ts";

const problem = [
	"-x",
	"--upload-pack=touch fired",
	"--output=fired",
	"-ccore.editor=touch fired",
	"--exec=touch fired",
	"../../x",
	"..",
	".",
	"a/../../b",
	"/etc/x",
	"~",
	"$(touch fired)",
	"`touch fired`",
	";touch fired",
	"|touch fired",
	"refs/heads/x",
	"a..b",
	"a...b",
	"x.lock",
	"x/.git/config",
	".git",
	".GIT",
	".git/hooks/pre-commit",
	"HEAD",
	"@",
	"@{u}",
	"main@{1}",
	"main^",
	":/first",
	":(top)x",
	":!x",
	"ünï-cödé",
	"\u202Egnp.exe",
	"zero\u200Bwidth",
	"with space",
	" ",
	"new\nline",
	"tab\there",
	"car\rriage",
	"esc\u001b]0;x\u0007",
	"nul\0byte",
	"",
	"x".repeat(256),
	"x/".repeat(300),
	"con",
	"__proto__",
	"constructor",
	"--",
	"-",
	"*",
	"[a]",
	"\\",
	"'; drop table",
];

/** Everything under the world's root but what a project may write. */
const outside = (world: World): unknown =>
	fingerprint(world.root, (name) => /^(home\/projects\/p|home\/trash|repository\/\.git)(\/|$)/.test(name));

/** Arguments that git could read as an option or as more than one word, and that hold a name of somebody's. */
function asOptions(world: World, name: string): readonly string[][] {
	return world.commands.flatMap((args) => {
		const end = args.findIndex((arg) => arg === "--" || arg === "--end-of-options");
		const open = end < 0 ? args : args.slice(0, end);
		return name.startsWith("-") && open.includes(name) ? [[...args]] : [];
	});
}

test("the list is as long as it should be", () => {
	expect(new Set(problem).size).toBe(problem.length);
	expect(problem.length).toBeGreaterThan(50);
});

test("handles and slugs that pass are plain words", () => {
	const passed = problem.filter((name) => Handle.safeParse(name).success || ProjectSlug.safeParse(name).success);
	expect(passed).toEqual(["con", "constructor"]);
});

test("paths and branches of a configuration that pass stay inside", () => {
	for (const name of problem) {
		for (const config of [{ shared: [name] }, { copy: [name] }]) {
			if (!ProjectConfig.safeParse(config).success) continue;
			expect(path.posix.normalize(`/tree/${name}`)).toBe(`/tree/${name}`);
			expect(name).not.toMatch(/^-|\0|\n|\.git/i);
		}
		if (ProjectConfig.safeParse({ base: name }).success) expect(name).not.toMatch(/^-|^refs\/|\.\.|\s|\0|@\{|\.lock/);
	}
});

describe("with real git", () => {
	test("as a source, a branch or the beginning of an agent", async () => {
		const world = makeWorld();
		world.configure("");
		const before = outside(world);
		let answers = 0;
		for (const name of problem) {
			const slug = world.project.slug;
			const asked = [
				await world.workspaces.openProject({ slug, source: name }),
				await world.workspaces.openProject({ slug, source: path.join(world.root, name.replaceAll("\0", "")) }),
				await world.workspaces.openProject({ slug, source: `file://${name}` }),
				await world.workspaces.openProject({ slug, source: world.repository, base: name }),
				await world.workspaces.provision({
					project: world.project,
					agent: identity("a"),
					kind: "worktree",
					from: name,
				}),
			];
			for (const answer of asked) expect(isRefusal(answer)).toBe(true);
			answers += asked.length;
			expect(asOptions(world, name)).toEqual([]);
		}
		expect(answers).toBeGreaterThan(250);
		expect(outside(world)).toEqual(before);
		expect(existsSync(path.join(world.home, "projects/p/agents/a"))).toBe(false);
	});

	test("as a path, a message, a stage, a commit, a snapshot or what was seen last", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		write(checkout.workspace.path, "x.txt", "x\n");
		const before = outside(world);
		const tree = fingerprint(checkout.workspace.path);
		for (const name of problem) {
			const asked = [
				await world.workspaces.commit(checkout, { message: "m", paths: [name] }),
				await world.workspaces.approve(checkout, { commit: name }),
				await world.workspaces.showSnapshot(checkout, name),
				await world.workspaces.restoreSnapshot(checkout, name),
				await world.workspaces.provisionFrom({
					project: world.project,
					agent: identity("b"),
					kind: "worktree",
					parent: checkout,
					snapshot: name,
				}),
			];
			for (const [at, answer] of asked.entries())
				expect([name, at, isRefusal(answer)]).toEqual([name, at, at > 0 || name !== "."]);
			if (name === ".") world.git(checkout.workspace.path, "reset", "-q", "--mixed", "HEAD~1");
			agreed(await world.workspaces.commitsSince(checkout, name));
			if (name.startsWith("-")) expect((await world.workspaces.health(checkout, { commit: name })).healthy).toBe(true);
			expect(asOptions(world, name)).toEqual([]);
		}
		expect(fingerprint(checkout.workspace.path)).toEqual(tree);
		expect(outside(world)).toEqual(before);
	});

	test("as a message or a stage they are words and nothing more", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const before = outside(world);
		let commits = 0;
		for (const [at, name] of problem.entries()) {
			write(checkout.workspace.path, "x.txt", `${at}\n`);
			const done = await world.workspaces.commit(checkout, { message: name, stage: name });
			if (isRefusal(done)) continue;
			commits++;
			expect(world.git(checkout.workspace.path, "log", "-1", "--format=%an %s")).toBe(`brood-agent-a ${name.trim()}`);
		}
		expect(commits).toBeGreaterThan(30);
		expect(outside(world)).toEqual(before);
	});
});
