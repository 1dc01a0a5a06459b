// Every example and every named test of the two documents that the replay comes from, on every store.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentState } from "#contract/agent.ts";
import type { AgentId } from "#contract/ids.ts";
import { itemKinds, kindsWithOwnCommand } from "#contract/item-kinds.ts";
import { isRefusal } from "#contract/refusal.ts";
import type { Engine } from "#engine/engine.ts";
import { done, refused, spawn } from "#test/support/say.ts";
import { flavors, freshTestStore, type TestStore } from "#test/support/stores.ts";

describe.each(flavors)("on %s", (flavor) => {
	let testStore: TestStore;
	let engine: Engine;
	beforeAll(async () => {
		testStore = await freshTestStore(flavor);
		engine = await testStore.open({ descendantsMax: 100 });
	});
	afterAll(async () => {
		await engine[Symbol.asyncDispose]();
		await testStore[Symbol.asyncDispose]();
	});

	const root = () => spawn(engine, engine.agentZero.id);
	const tell = async (agent: AgentState, text: string): Promise<number> =>
		(await done(engine, { type: "item.append", agent: agent.id, kind: "user", text })).event ?? 0;
	const clear = async (agent: AgentState): Promise<number> =>
		(await done(engine, { type: "context.clear", agent: agent.id })).event ?? 0;
	const fork = (parent: AgentState, request: object = {}) =>
		spawn(engine, parent.id, { context: "inherit", ...request });
	/** The words of a context, without the notes that forks leave in it. */
	const words = async (agent: AgentState): Promise<string[]> => {
		const context = await engine.queries.context(agent.id);
		if (isRefusal(context)) throw new Error(context.message);
		return context.items.filter((item) => item.kind !== "fork").map((item) => item.text ?? "");
	};
	const ranges = async (agent: AgentState): Promise<[AgentId, number, number | null][]> =>
		(await engine.reads.ranges(agent.id)).ranges.map((range) => [range.agent, range.after, range.upTo]);

	describe("startup replay", () => {
		test("fork without a clear: m1 m2 m3 m6 m7", async () => {
			const parent = await root();
			for (const text of ["m1", "m2"]) await tell(parent, text);
			const m3 = await tell(parent, "m3");
			const child = await fork(parent);
			for (const text of ["m4", "m5"]) await tell(parent, text);
			for (const text of ["m6", "m7"]) await tell(child, text);
			expect(await words(child)).toEqual(["m1", "m2", "m3", "m6", "m7"]);
			expect(await words(parent)).toEqual(["m1", "m2", "m3", "m4", "m5"]);
			expect(await ranges(child)).toEqual([
				[parent.id, 0, m3],
				[child.id, 0, null],
			]);
		});

		test("fork with a clear in the parent: m3 m4 m5 m6", async () => {
			const parent = await root();
			await tell(parent, "m1");
			const m2 = await clear(parent);
			await tell(parent, "m3");
			const m4 = await tell(parent, "m4");
			const child = await fork(parent);
			for (const text of ["m5", "m6"]) await tell(child, text);
			expect(await words(child)).toEqual(["m3", "m4", "m5", "m6"]);
			expect(await ranges(child)).toEqual([
				[parent.id, m2, m4],
				[child.id, 0, null],
			]);
		});

		test("a root agent has one range without an end", async () => {
			const agent = await root();
			await tell(agent, "m1");
			expect(await ranges(agent)).toEqual([[agent.id, 0, null]]);
		});

		test("a grandchild has three ranges in order", async () => {
			const agent = await root();
			const m1 = await tell(agent, "m1");
			const child = await fork(agent);
			const m2 = await tell(child, "m2");
			const grandchild = await fork(child);
			await tell(grandchild, "m3");
			expect(await ranges(grandchild)).toEqual([
				[agent.id, 0, m1],
				[child.id, 0, Math.max(m1, m2)],
				[grandchild.id, 0, null],
			]);
			expect(await words(grandchild)).toEqual(["m1", "m2", "m3"]);
		});

		test("the walk stops at a clear, takes the latest one, and only one before the fork point", async () => {
			const agent = await root();
			await tell(agent, "m1");
			await clear(agent);
			await tell(agent, "m2");
			const second = await clear(agent);
			const m3 = await tell(agent, "m3");
			const child = await fork(agent);
			await clear(agent);
			expect(await ranges(child)).toEqual([
				[agent.id, second, m3],
				[child.id, 0, null],
			]);
			expect(await words(child)).toEqual(["m3"]);
			expect(await words(agent)).toEqual([]);
		});

		test("an agent with no history has an empty context", async () => {
			const agent = await root();
			expect(await words(agent)).toEqual([]);
			expect(await ranges(agent)).toEqual([[agent.id, 0, null]]);
		});

		test("six levels of ancestors come in chronological order", async () => {
			let agent = await root();
			const expected: string[] = [];
			for (let level = 0; level < 6; level++) {
				for (const text of [`${level}a`, `${level}b`]) {
					await tell(agent, text);
					expected.push(text);
				}
				agent = await fork(agent);
			}
			expect(await words(agent)).toEqual(expected);
		});
	});

	describe("fork", () => {
		test("records the fork point in the registry, and both threads tell of it", async () => {
			const parent = await root();
			const m1 = await tell(parent, "m1");
			const child = await fork(parent);
			expect(child.lineage).toEqual({ agent: parent.id, forkPoint: m1 });
			expect((await engine.reads.agent(child.id))?.lineage).toEqual({ agent: parent.id, forkPoint: m1 });
			expect(await engine.reads.newestItem(child.id)).toMatchObject({
				kind: "fork",
				data: { parent: parent.id, forkPoint: m1 },
			});
			expect(await engine.reads.newestItem(parent.id)).toMatchObject({
				kind: "fork",
				data: { child: child.id, forkPoint: m1 },
			});
		});

		test("of an agent that said nothing inherits nothing, whatever the parent says or clears later", async () => {
			const parent = await root();
			const child = await fork(parent);
			const grandchild = await fork(child, { at: undefined });
			await tell(parent, "LEAK1");
			await clear(parent);
			await tell(parent, "LEAK2");
			await tell(child, "c1");
			expect(child.lineage).toEqual({ agent: parent.id, forkPoint: 0 });
			expect(await words(child)).toEqual(["c1"]);
			expect(await words(grandchild)).toEqual([]);
		});

		test("of an agent that has just cleared inherits nothing", async () => {
			const parent = await root();
			await tell(parent, "m1");
			await clear(parent);
			const child = await fork(parent);
			await tell(parent, "LEAK");
			expect(child.lineage?.forkPoint).toBe(0);
			expect(await words(child)).toEqual([]);
		});

		test("at any item takes the context up to it, inherited items too", async () => {
			const parent = await root();
			const [m1] = [await tell(parent, "m1"), await tell(parent, "m2")];
			const child = await fork(parent);
			const c1 = await tell(child, "c1");
			await tell(child, "c2");
			expect(await words(await fork(child, { at: c1 }))).toEqual(["m1", "m2", "c1"]);
			const early = await fork(child, { at: m1 });
			expect(early.lineage).toEqual({ agent: child.id, forkPoint: m1 });
			await tell(early, "e1");
			expect(await words(early)).toEqual(["m1", "e1"]);
			expect(await words(await fork(early))).toEqual(["m1", "e1"]);
		});

		test("at an item that is not in the context is refused", async () => {
			const parent = await root();
			const before = await tell(parent, "m1");
			await clear(parent);
			const other = await tell(await root(), "elsewhere");
			await tell(parent, "m2");
			await done(engine, { type: "context.mark", agent: parent.id });
			const hidden = await tell(parent, "hidden");
			const rewind = (await done(engine, { type: "context.rewind", agent: parent.id })).event;
			for (const at of [before, other, hidden, rewind, 999_999_999]) {
				expect(await refused(engine, { type: "agent.spawn", parent: parent.id, context: "inherit", at })).toMatchObject(
					{
						code: "ITEM_NOT_IN_CONTEXT",
					},
				);
			}
		});

		test("fresh takes nothing along", async () => {
			const parent = await root();
			await tell(parent, "m1");
			const child = await fork(parent, { context: "fresh" });
			expect(child.lineage).toBeNull();
			expect(await words(child)).toEqual([]);
		});

		test("brings its first prompt in the same transaction", async () => {
			const parent = await root();
			await tell(parent, "m1");
			const child = await fork(parent, { prompt: "replace the font" });
			expect(await engine.reads.prompts(child.id)).toMatchObject([
				{ agent: child.id, text: "replace the font", createdBy: "human" },
			]);
			const events = await engine.reads.events({ after: 0, limit: 100_000, agent: child.id });
			expect(
				new Set(events.filter((event) => event.kind !== "agent.provisioned").map((event) => event.command)).size,
			).toBe(1);
			expect(await engine.reads.prompts(parent.id)).toEqual([]);
		});

		test("writes the same rows for a long history as for a short one", async () => {
			const written = async (items: number): Promise<string[]> => {
				const parent = await root();
				for (let at = 0; at < items; at += 50)
					await Promise.all(Array.from({ length: Math.min(50, items - at) }, () => tell(parent, "x")));
				const before = (await engine.reads.newestItem(parent.id))?.id ?? 0;
				await fork(parent);
				const events = await engine.reads.events({ after: before, limit: 100 });
				return events.filter((event) => event.kind !== "agent.provisioned").map((event) => event.kind);
			};
			expect(await written(1000)).toEqual(await written(1));
		});
	});

	describe("a parent's later life", () => {
		test("never changes a child's context", async () => {
			const parent = await root();
			await tell(parent, "m1");
			await done(engine, { type: "context.mark", agent: parent.id, name: "here" });
			await tell(parent, "m2");
			const child = await fork(parent);
			const context = await words(child);
			expect(context).toEqual(["m1", "here", "m2"]);
			await tell(parent, "later");
			expect(await words(child)).toEqual(context);
			await done(engine, { type: "context.rewind", agent: parent.id, name: "here" });
			expect(await words(parent)).toEqual(["m1", "here"]);
			expect(await words(child)).toEqual(context);
			await clear(parent);
			expect(await words(child)).toEqual(context);
			await done(engine, { type: "agent.kill", agent: parent.id });
			expect(await words(child)).toEqual(context);
			expect(await words(await fork(child))).toEqual(context);
		});
	});

	describe("clear, mark and rewind", () => {
		test("a rewind hides what came after the mark, also for later forks; what was said before it stays", async () => {
			const agent = await root();
			await tell(agent, "m1");
			await done(engine, { type: "context.mark", agent: agent.id, name: "a" });
			await tell(agent, "m2");
			const between = await fork(agent);
			await done(engine, { type: "context.rewind", agent: agent.id, name: "a" });
			expect(await words(agent)).toEqual(["m1", "a"]);
			expect(await words(await fork(agent))).toEqual(["m1", "a"]);
			await tell(agent, "m3");
			expect(await words(agent)).toEqual(["m1", "a", "m3"]);
			expect(await words(await fork(agent))).toEqual(["m1", "a", "m3"]);
			expect(await words(between)).toEqual(["m1", "a", "m2"]);
		});

		test("a child rewinds into what it inherited, in its own view only", async () => {
			const parent = await root();
			await tell(parent, "m1");
			await done(engine, { type: "context.mark", agent: parent.id, name: "inherited" });
			await tell(parent, "m2");
			const child = await fork(parent);
			await tell(child, "c1");
			await done(engine, { type: "context.rewind", agent: child.id, name: "inherited" });
			expect(await words(child)).toEqual(["m1", "inherited"]);
			expect(await words(parent)).toEqual(["m1", "inherited", "m2"]);
			const grandchild = await fork(child);
			expect(await words(grandchild)).toEqual(["m1", "inherited"]);
			await tell(grandchild, "g1");
			expect(await words(await fork(grandchild))).toEqual(["m1", "inherited", "g1"]);
		});

		test("a mark behind a clear, or hidden by a rewind, is not found; the latest of a name is taken", async () => {
			const agent = await root();
			await done(engine, { type: "context.mark", agent: agent.id, name: "old" });
			await clear(agent);
			expect(await refused(engine, { type: "context.rewind", agent: agent.id, name: "old" })).toMatchObject({
				code: "MARK_NOT_FOUND",
			});
			expect(await refused(engine, { type: "context.rewind", agent: agent.id })).toMatchObject({
				code: "MARK_NOT_FOUND",
			});
			for (const text of ["one", "two"]) {
				await done(engine, { type: "context.mark", agent: agent.id, name: "same" });
				await tell(agent, text);
			}
			await done(engine, { type: "context.rewind", agent: agent.id, name: "same" });
			expect(await words(agent)).toEqual(["same", "one", "same"]);
			await done(engine, { type: "context.mark", agent: agent.id, name: "lost" });
			await done(engine, { type: "context.rewind", agent: agent.id, name: "same" });
			expect(await refused(engine, { type: "context.rewind", agent: agent.id, name: "lost" })).toMatchObject({
				code: "MARK_NOT_FOUND",
				details: { marks: ["same", "same"] },
			});
		});

		test("settings survive a clear, and a fork takes them along until it changes them", async () => {
			const agent = await root();
			await done(engine, { type: "agent.configure", agent: agent.id, systemPrompt: "Be brief.", model: "opus" });
			await done(engine, { type: "agent.configure", agent: agent.id, pinned: ["README.md"] });
			await clear(agent);
			const now = await engine.reads.agent(agent.id);
			const settings = { systemPrompt: "Be brief.", pinned: ["README.md"] };
			expect(now && (await engine.queries.settings(now))).toMatchObject(settings);
			const child = await fork(agent);
			expect(child).toMatchObject({ model: "opus", settings: now?.settings });
			await done(engine, { type: "agent.configure", agent: child.id, systemPrompt: null });
			const changed = await engine.reads.agent(child.id);
			expect(changed && (await engine.queries.settings(changed))).toMatchObject({
				systemPrompt: null,
				pinned: ["README.md"],
			});
			expect(now && (await engine.queries.settings(now))).toMatchObject(settings);
			expect(await engine.queries.settings(await fork(agent, { context: "fresh" }))).toEqual({
				systemPrompt: null,
				pinned: [],
				options: {},
			});
		});

		test("every kind of item that the contract knows is kept, those with a command of their own only through it", async () => {
			const agent = await root();
			const withOwnCommand: readonly string[] = kindsWithOwnCommand;
			const plain = itemKinds.filter((kind) => !withOwnCommand.includes(kind));
			expect(plain).toHaveLength(11);
			for (const kind of plain) await done(engine, { type: "item.append", agent: agent.id, kind, text: kind });
			expect(await words(agent)).toEqual(plain);
			for (const kind of withOwnCommand) {
				expect(await refused(engine, { type: "item.append", agent: agent.id, kind, text: "forged" })).toMatchObject({
					code: "VALIDATION_ERROR",
				});
			}
		});

		test("kinds that this version does not know are kept and shown", async () => {
			const agent = await root();
			await done(engine, {
				type: "item.append",
				agent: agent.id,
				kind: "hologram",
				text: "from the future",
				data: { depth: 3 },
			});
			const context = await engine.queries.context(agent.id);
			expect("items" in context && context.items).toMatchObject([
				{ kind: "hologram", text: "from the future", data: { depth: 3 } },
			]);
		});
	});

	test("no number of siblings is too many for the tree", async () => {
		const parent = await root();
		const children = await Promise.all(Array.from({ length: 90 }, () => fork(parent)));
		expect(await engine.reads.children(parent.id)).toHaveLength(90);
		expect(new Set(children.map((child) => child.handle)).size).toBe(90);
		await done(engine, { type: "agent.kill", agent: parent.id, cascade: true });
		expect(await engine.reads.children(parent.id)).toEqual([]);
	});
});
