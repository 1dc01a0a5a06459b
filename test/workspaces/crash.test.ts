// A process that dies between two git commands, at each of them in turn: what it left is finished or taken back by the
// next call, and no byte is lost. Dying is played by a git that never answers again, so that not even a `finally` runs,
// and by modules that are loaded anew; a few of the deaths are real ones, by SIGKILL.
import { cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { makeWorld } from "#test/support/make-world.ts";
import { runProgram } from "#test/support/process.ts";
import { agreed, fingerprint, identity, read, type World, write } from "#test/support/world.ts";

type When = "before" | "after";
const torture = process.env["BROOD_TORTURE"] !== undefined;
vi.setConfig({ testTimeout: torture ? 900_000 : 60_000 });

/** A second process on the same disk, which dies before or after its n-th git command, unless it ends before. */
async function dying(
	world: World,
	at: number,
	when: When,
	act: (world: World) => Promise<unknown>,
): Promise<"died" | "lived"> {
	vi.resetModules();
	const fresh = await import("#test/support/world.ts");
	const died = Promise.withResolvers<"died">();
	let count = 0;
	const aroundGit = async <T>(run: () => Promise<T>): Promise<T> => {
		count++;
		const last = count >= at;
		if (last && when === "before") died.resolve("died");
		const answer = last && when === "before" ? await new Promise<T>(() => {}) : await run();
		if (last) died.resolve("died");
		return last ? await new Promise<T>(() => {}) : answer;
	};
	return await Promise.race([
		died.promise,
		act(new fresh.World(world.root, { aroundGit })).then((): "lived" => "lived"),
	]);
}

/** A process that starts after the other one died. */
async function next(world: World): Promise<World> {
	vi.resetModules();
	const fresh = await import("#test/support/world.ts");
	return new fresh.World(world.root);
}

/** Lets `act` die at its steps, each time in the same world as it was prepared, and looks at what `after` finds. */
async function atEachStep(
	prepare: () => Promise<{ world: World; checkout: Checkout }>,
	act: (world: World, checkout: Checkout) => Promise<unknown>,
	after: (world: World, checkout: Checkout) => Promise<void>,
	/** less for what has few steps */
	every = 3,
): Promise<number> {
	const { world, checkout } = await prepare();
	const prepared = `${world.root}-prepared`;
	onTestFinished(() => rmSync(prepared, { recursive: true, force: true }));
	cpSync(world.root, prepared, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
	let deaths = 0;
	for (let at = 1; ; at += torture ? 1 : every) {
		for (const when of torture
			? (["before", "after"] as const)
			: [at % 2 === 0 ? ("before" as const) : ("after" as const)]) {
			rmSync(world.root, { recursive: true, force: true });
			cpSync(prepared, world.root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
			const end = await dying(world, at, when, async (mortal) => await act(mortal, checkout));
			await after(world, checkout);
			if (end === "lived") return deaths;
			deaths++;
		}
	}
}

const checkoutOf = (world: World, handle: string): Checkout => ({
	project: world.project,
	agent: identity(handle),
	workspace: {
		kind: "worktree",
		path: path.join(world.home, "projects/p/agents", handle),
		branch: `brood/${handle}`,
		base: "main",
	},
});

/** A person who has base checked out and is in the middle of something. */
function busyPerson(): World {
	const world = makeWorld();
	write(world.repository, "folder/b.txt", "being edited\n");
	write(world.repository, "notes.txt", "untracked\n");
	write(world.repository, ".env", "ignored\n");
	return world;
}

const personsOwn = (world: World): string[] =>
	["folder/b.txt", "notes.txt", ".env"].map((name) => read(world.repository, name));
const own = ["being edited\n", "untracked\n", "ignored\n"];

describe("provision", () => {
	const request = (world: World, kind: "worktree" | "clone" = "worktree") =>
		({ project: world.project, agent: identity("a"), kind }) as const;
	const prepare = async (): Promise<{ world: World; checkout: Checkout }> => {
		const world = busyPerson();
		world.configure("setup: echo built > built.log\n");
		return { world, checkout: checkoutOf(world, "a") };
	};

	test.each(["worktree", "clone"] as const)("of a %s is finished by the next call", async (kind) => {
		const deaths = await atEachStep(
			prepare,
			async (world) => agreed(await world.workspaces.provision(request(world, kind))),
			async (world, { workspace }) => {
				const again = await next(world);
				agreed(await again.workspaces.provision(request(world, kind)));
				expect(world.git(workspace.path, "status", "--porcelain", "--branch")).toBe("## brood/a");
				expect([read(workspace.path, "a.txt"), read(workspace.path, "built.log")]).toEqual([
					"one\ntwo\nthree\n",
					"built\n",
				]);
				expect(readdirSync(path.dirname(workspace.path))).toEqual(["a"]);
				expect(world.git(world.repository, "worktree", "list").split("\n")).toHaveLength(kind === "clone" ? 1 : 2);
				expect(personsOwn(world)).toEqual(own);
			},
			kind === "worktree" ? 1 : 3,
		);
		expect(deaths).toBeGreaterThan(2);
	});

	test("leaves nothing in the way of the next agent of that name, if its own agent ended meanwhile", async () => {
		const deaths = await atEachStep(
			prepare,
			async (world) => agreed(await world.workspaces.provision(request(world))),
			async (world, { workspace, agent }) => {
				const again = await next(world);
				const successor = { ...request(world), agent: { ...agent, id: identity("b").id } };
				const folder = path.dirname(workspace.path);
				const left = existsSync(folder) && readdirSync(folder).length > 0;
				// the control: as long as the agent lives, what it has is not touched
				const early = await again.workspaces.provision(successor, { isUnused: async () => false });
				expect("code" in early && early.code).toBe(left ? "PATH_EXISTS" : false);
				if (!left) return;
				const made = await again.workspaces.provision(successor, { isUnused: async (id) => id === agent.id });
				expect(agreed(made).workspace).toEqual(workspace);
				expect(world.git(workspace.path, "status", "--porcelain", "--branch")).toBe("## brood/a");
				expect(readdirSync(folder)).toEqual(["a"]);
				expect(world.git(world.repository, "branch", "--list", "brood/*").split("\n")).toHaveLength(1);
				expect(personsOwn(world)).toEqual(own);
			},
			1,
		);
		expect(deaths).toBeGreaterThan(2);
	});

	test("is taken back to nothing if the next call fails", async () => {
		const deaths = await atEachStep(
			prepare,
			async (world) => agreed(await world.workspaces.provision(request(world))),
			async (world, { workspace }) => {
				world.configure("setup: exit 1\n");
				const again = await next(world);
				const answer = await again.workspaces.provision(request(world));
				const ready = "found" in answer && answer.found;
				expect([existsSync(workspace.path), world.git(world.repository, "branch", "--list", "brood/*") !== ""]).toEqual(
					[ready, ready],
				);
				expect(readdirSync(path.dirname(workspace.path))).toEqual(ready ? ["a"] : []);
				expect(world.git(world.repository, "worktree", "list").split("\n")).toHaveLength(ready ? 2 : 1);
			},
			1,
		);
		expect(deaths).toBeGreaterThan(2);
	});
});

describe("a fork", () => {
	test("is finished by the next call, with the parent's changes", async () => {
		const deaths = await atEachStep(
			async () => {
				const world = makeWorld();
				const parent = await world.agent("parent");
				write(parent.workspace.path, "new.txt", "untracked\n");
				return { world, checkout: parent };
			},
			async (world, parent) =>
				agreed(
					await world.workspaces.provisionFrom({
						project: world.project,
						agent: identity("child"),
						kind: "worktree",
						parent,
					}),
				),
			async (world, parent) => {
				const again = await next(world);
				const { workspace } = agreed(
					await again.workspaces.provisionFrom({
						project: world.project,
						agent: identity("child"),
						kind: "worktree",
						parent,
					}),
				);
				expect(world.git(workspace.path, "status", "--porcelain", "--branch")).toBe("## brood/child\n?? new.txt");
				expect(readdirSync(path.dirname(workspace.path)).sort()).toEqual(["child", "parent"]);
			},
		);
		expect(deaths).toBeGreaterThan(2);
	});

	test.each(["worktree", "clone"] as const)("of an older state into a %s has the files of then", async (kind) => {
		const child = (world: World, parent: Checkout) =>
			({ project: world.project, agent: identity("child"), kind, parent, snapshot: "1" }) as const;
		const deaths = await atEachStep(
			async () => {
				const world = makeWorld();
				const parent = await world.agent("parent");
				write(parent.workspace.path, "new.txt", "then\n");
				await world.workspaces.takeSnapshot(parent, { reason: "test" });
				write(parent.workspace.path, "new.txt", "now\n");
				return { world, checkout: parent };
			},
			async (world, parent) => agreed(await world.workspaces.provisionFrom(child(world, parent))),
			async (world, parent) => {
				const again = await next(world);
				const { workspace } = agreed(await again.workspaces.provisionFrom(child(world, parent)));
				expect(world.git(workspace.path, "status", "--porcelain", "--branch")).toBe("## brood/child\n?? new.txt");
				expect([read(workspace.path, "new.txt"), read(parent.workspace.path, "new.txt")]).toEqual(["then\n", "now\n"]);
				expect(readdirSync(path.dirname(workspace.path)).sort()).toEqual(["child", "parent"]);
			},
		);
		expect(deaths).toBeGreaterThan(2);
	});
});

describe("approve", () => {
	test.each(["merge", "rebase"] as const)(
		"by %s has happened once or not at all, and the next call knows which",
		async (strategy) => {
			const deaths = await atEachStep(
				async () => {
					const world = busyPerson();
					world.configure("check: test -e work.txt\n");
					const checkout = await world.agent("a");
					write(checkout.workspace.path, "work.txt", "w\n");
					agreed(await world.workspaces.commit(checkout, { message: "Work" }));
					return { world, checkout };
				},
				async (world, checkout) =>
					agreed(await world.workspaces.approve(checkout, { commit: world.tip("brood/a"), strategy })),
				async (world, checkout) => {
					const done = world.git(world.repository, "ls-tree", "--name-only", "main").includes("work.txt");
					expect([existsSync(path.join(world.repository, "work.txt")), personsOwn(world)]).toEqual([done, own]);
					const again = await next(world);
					const merged = agreed(await again.workspaces.approve(checkout, { commit: world.tip("brood/a"), strategy }));
					expect([merged.alreadyMerged, merged.commit]).toEqual([done, world.tip("main")]);
					expect(world.git(world.repository, "log", "--first-parent", "--format=%H", "main").split("\n")).toHaveLength(
						2,
					);
					expect(world.git(world.repository, "status", "--porcelain")).toBe(" M folder/b.txt\n?? notes.txt");
					expect(personsOwn(world)).toEqual(own);
					await again.workspaces.gc(world.project, { dryRun: false, withFolder: [checkout.agent] });
					expect(world.git(world.repository, "worktree", "list").split("\n")).toHaveLength(2);
				},
			);
			expect(deaths).toBeGreaterThan(5);
		},
	);
});

describe("commit", () => {
	test.each([
		["everything", undefined],
		["some paths", ["work.txt"]],
	])("of %s is made once, and whoever knows where the branch was finds it", async (_, paths) => {
		const request = { message: "Work\n\n\nin two  \nparagraphs\n", ...(paths && { paths }), turn: 7 };
		let before: { head: string | null } | undefined;
		const begin = async (place: { head: string | null }): Promise<void> => {
			before = place;
		};
		const deaths = await atEachStep(
			async () => {
				const world = busyPerson();
				const checkout = await world.agent("a");
				for (const name of ["work.txt", "more.txt"]) write(checkout.workspace.path, name, "w\n");
				before = undefined;
				return { world, checkout };
			},
			async (world, checkout) => agreed(await world.workspaces.commit(checkout, request, { begin })),
			async (world, checkout) => {
				const again = await next(world);
				const { commit, files } = agreed(await again.workspaces.commit(checkout, request, before && { begun: before }));
				before = undefined;
				expect(world.git(checkout.workspace.path, "log", "--format=%s")).toBe("Work\nfirst");
				expect([commit, files.map(({ path: name }) => name)]).toEqual([
					world.tip("brood/a"),
					paths ?? ["more.txt", "work.txt"],
				]);
				expect(["work.txt", "more.txt"].map((name) => read(checkout.workspace.path, name))).toEqual(["w\n", "w\n"]);
				expect(world.git(checkout.workspace.path, "log", "-1", "--format=%(trailers:key=Brood-Turn,valueonly)")).toBe(
					"7",
				);
			},
			1,
		);
		expect(deaths).toBeGreaterThan(2);
	});

	test("that somebody else made in other words is not taken for it", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const head = world.tip("brood/a");
		world.commit(checkout.workspace.path, { "theirs.txt": "t\n" });
		write(checkout.workspace.path, "work.txt", "w\n");
		const { files } = agreed(await world.workspaces.commit(checkout, { message: "Work" }, { begun: { head } }));
		expect([files.map(({ path: name }) => name), world.git(checkout.workspace.path, "log", "--format=%s")]).toEqual([
			["work.txt"],
			"Work\nchange\nfirst",
		]);
		// and it is found behind theirs as well
		expect(agreed(await world.workspaces.commit(checkout, { message: "Work" }, { begun: { head } }))).toMatchObject({
			files,
			commit: world.tip("brood/a"),
		});
	});
});

describe("what takes something away", () => {
	const messy = async (): Promise<{ world: World; checkout: Checkout }> => {
		const world = busyPerson();
		const checkout = await world.agent("a");
		write(checkout.workspace.path, "new.txt", "untracked\n");
		write(checkout.workspace.path, "a.txt", "changed\n");
		return { world, checkout };
	};

	test("remove: the folder is in the trash, the changes are in a snapshot, and the next call ends it", async () => {
		const deaths = await atEachStep(
			messy,
			async (world, checkout) => agreed(await world.workspaces.remove(checkout, { force: true, deleteBranch: true })),
			async (world, checkout) => {
				const again = await next(world);
				agreed(await again.workspaces.remove(checkout, { force: true, deleteBranch: true }));
				expect(existsSync(checkout.workspace.path)).toBe(false);
				const files = fingerprint(path.join(world.home, "trash"));
				expect(Object.keys(files).filter((name) => name.endsWith("/files/new.txt"))).toHaveLength(1);
				const snapshots = await again.workspaces.snapshots(checkout);
				const diff = agreed(await again.workspaces.showSnapshot(checkout, snapshots.at(-1)?.id ?? ""));
				expect(diff.files.map((file) => file.path)).toEqual(["a.txt", "new.txt"]);
				expect(world.git(world.repository, "worktree", "list").split("\n")).toHaveLength(1);
				expect(world.git(world.repository, "branch", "--list", "brood/*")).toBe("");
				expect(personsOwn(world)).toEqual(own);
			},
		);
		expect(deaths).toBeGreaterThan(2);
	});

	test("recover: the tree is clean at home after the next call, and a snapshot has what was there", async () => {
		const deaths = await atEachStep(
			messy,
			async (world, checkout) => agreed(await world.workspaces.recover(checkout)),
			async (world, checkout) => {
				const again = await next(world);
				agreed(await again.workspaces.recover(checkout));
				expect(world.git(checkout.workspace.path, "status", "--porcelain", "--branch")).toBe("## brood/a");
				const snapshots = await again.workspaces.snapshots(checkout);
				const held = await Promise.all(
					snapshots.map(async ({ id }) =>
						agreed(await again.workspaces.showSnapshot(checkout, id)).files.map((file) => file.path),
					),
				);
				expect(held).toContainEqual(["a.txt", "new.txt"]);
			},
		);
		expect(deaths).toBeGreaterThan(2);
	});

	test("recover of a tree that is gone: it is there again after the next call, on its branch", async () => {
		const deaths = await atEachStep(
			async () => {
				const { world, checkout } = await messy();
				agreed(await world.workspaces.commit(checkout, { message: "Work" }));
				rmSync(checkout.workspace.path, { recursive: true });
				return { world, checkout };
			},
			async (world, checkout) => agreed(await world.workspaces.recover(checkout)),
			async (world, checkout) => {
				const again = await next(world);
				agreed(await again.workspaces.recover(checkout));
				expect(world.git(checkout.workspace.path, "status", "--porcelain", "--branch")).toBe("## brood/a");
				expect([read(checkout.workspace.path, "new.txt"), read(checkout.workspace.path, "a.txt")]).toEqual([
					"untracked\n",
					"changed\n",
				]);
				expect(await again.workspaces.health(checkout)).toEqual({ healthy: true, issues: [] });
				expect(personsOwn(world)).toEqual(own);
			},
		);
		expect(deaths).toBeGreaterThan(2);
	});

	test("sync: the branch is where it was or where it should be, and its tree with it", async () => {
		const deaths = await atEachStep(
			async () => {
				const world = makeWorld();
				const checkout = await world.agent("a");
				world.commit(checkout.workspace.path, { "own.txt": "o\n" });
				world.commit(world.repository, { "next.txt": "n\n" });
				return { world, checkout };
			},
			async (world, checkout) => agreed(await world.workspaces.sync(checkout, "rebase")),
			async (world, checkout) => {
				expect(world.git(checkout.workspace.path, "status", "--porcelain", "--branch")).toBe("## brood/a");
				const again = await next(world);
				expect(agreed(await again.workspaces.sync(checkout, "rebase")).branchStatus).toMatchObject({
					ahead: 1,
					behind: 0,
					uncommitted: false,
				});
				expect(world.git(checkout.workspace.path, "log", "--format=%s")).toBe("change\nchange\nfirst");
			},
		);
		expect(deaths).toBeGreaterThan(2);
	});
});

const made = ["provision", "fork"];

test.each(["provision", "fork", "approve", "recover", "remove"])(
	"%s by a process that is really killed",
	async (verb) => {
		let killed = 0;
		const moments = made.includes(verb) ? [2, 4] : [4, 9];
		for (const at of torture ? Array.from({ length: 40 }, (_, index) => index + 1) : moments) {
			const world = busyPerson();
			const parent = verb === "fork" ? await world.agent("parent") : null;
			const checkout = made.includes(verb) ? checkoutOf(world, "a") : await world.agent("a");
			if (verb !== "provision") write((parent ?? checkout).workspace.path, "work.txt", "w\n");
			if (verb === "approve" || verb === "remove") agreed(await world.workspaces.commit(checkout, { message: "Work" }));
			const ran = await runProgram("workspace", [world.root, verb, String(at), checkout.workspace.path]);
			if (ran.signal === "SIGKILL") killed++;
			expect([ran.signal ?? ran.code, ran.errors]).toEqual([ran.signal === null ? 0 : "SIGKILL", ""]);
			expect(personsOwn(world)).toEqual(own);
			const again = await runProgram("workspace", [world.root, verb, "0", checkout.workspace.path]);
			expect([again.code, again.errors]).toEqual([0, ""]);
			expect(existsSync(checkout.workspace.path)).toBe(verb !== "remove");
			if (parent !== null)
				expect([checkout, parent].map(({ workspace }) => read(workspace.path, "work.txt"))).toEqual(["w\n", "w\n"]);
			if (verb === "recover") {
				const held = await Promise.all(
					(await world.workspaces.snapshots(checkout)).map(async ({ id }) =>
						agreed(await world.workspaces.showSnapshot(checkout, id)),
					),
				);
				expect(held.some(({ files }) => files.some((file) => file.path === "work.txt"))).toBe(true);
			}
			expect(personsOwn(world)).toEqual(own);
		}
		expect(killed).toBeGreaterThanOrEqual(torture ? Math.max(...moments) : 2);
	},
);
