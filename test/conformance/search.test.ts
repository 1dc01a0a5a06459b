// What a search promises, held against all three stores: they find the same, in the same order.
import { describe, expect, test } from "vitest";
import { ProjectSlug } from "#contract/ids.ts";
import { termsOf } from "#contract/search-words.ts";
import type { Engine } from "#engine/engine.ts";
import { done, spawn } from "#test/support/say.ts";
import { flavors, freshTestStore } from "#test/support/stores.ts";

const web = ProjectSlug.parse("web");

async function found(engine: Engine, text: string, more: object = {}): Promise<(string | undefined)[]> {
	const { hits, complete } = await engine.queries.search({ terms: termsOf(text), limit: 100, ...more });
	expect(complete).toBe(true);
	expect(hits.map((hit) => hit.id)).toEqual(hits.map((hit) => hit.id).sort((a, b) => b - a));
	return hits.map((hit) => hit.snippet);
}

describe.each(flavors)("%s", (flavor) => {
	test("finds the items that have all of the words, the newest first, whatever their case and accents", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		const agent = engine.agentZero.id;
		const say = async (text: string) => await done(engine, { type: "item.append", agent, kind: "assistant", text });
		for (const text of [
			"the parser fails on an empty line",
			"Fixed: the PARSER, in src/parse.ts",
			"café naïveté",
			"it's 100% done\0\ue000 — 日本語 テスト",
		])
			await say(text);
		expect(await found(engine, "parser")).toEqual([
			"Fixed: the PARSER, in src/parse.ts",
			"the parser fails on an empty line",
		]);
		expect(await found(engine, "PARSER the fails")).toEqual(["the parser fails on an empty line"]);
		expect(await found(engine, "pars")).toEqual([]);
		expect(await found(engine, "pars*")).toHaveLength(2);
		expect(await found(engine, "parse.ts")).toEqual(["Fixed: the PARSER, in src/parse.ts"]);
		expect(await found(engine, "Cafe NAIVETÉ")).toEqual(["café naïveté"]);
		expect(await found(engine, "100 日本語")).toHaveLength(1);
		for (const hostile of ['"', "* OR", "') | ('", "fixed OR fails", "NEAR(the, parser)", "' : *", "\0", "-parser the"])
			expect((await found(engine, hostile)).length).toBeLessThanOrEqual(2);
		expect(await found(engine, "  … !? ")).toEqual([]);
	});

	test("finds what was said since the last search, one agent's, one project's, and no more than was asked for", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		await done(engine, { type: "project.add", slug: "web", path: "/srv/web" });
		const inside = await spawn(engine, engine.agentZero.id, { name: "inside", project: "web" });
		const outside = await spawn(engine, engine.agentZero.id, { name: "outside" });
		for (let at = 0; at < 450; at++)
			await done(engine, {
				type: "item.append",
				agent: at % 2 ? inside.id : outside.id,
				kind: "user",
				text: `word number ${at}`,
			});
		expect(await found(engine, "word", { limit: 2 })).toEqual(["word number 449", "word number 448"]);
		expect(await found(engine, "word number", { limit: 1000 })).toHaveLength(450);
		await done(engine, { type: "item.append", agent: inside.id, kind: "user", text: "and another word" });
		expect(await found(engine, "another")).toEqual(["and another word"]);
		expect(await found(engine, "word", { limit: 1000, agent: outside.id })).toHaveLength(225);
		expect(await found(engine, "word", { limit: 1000, project: web })).toHaveLength(226);
		expect(await found(engine, "word", { limit: 1000, project: null })).toHaveLength(225);
		expect(await found(engine, "word", { limit: 1000, project: null, agent: inside.id })).toEqual([]);
		// an event that is not an item is not found by its words
		await done(engine, { type: "mail.send", to: inside.id, body: "xylophone" });
		expect(await found(engine, "xylophone")).toEqual([]);
	});

	test("shows the words around the place, and finds long words and long texts by what is kept of them", async () => {
		await using testStore = await freshTestStore(flavor);
		await using engine = await testStore.open();
		const agent = engine.agentZero.id;
		const long = `${"lorem ipsum ".repeat(50)}needle ${"dolor sit ".repeat(50)}`;
		await done(engine, { type: "item.append", agent, kind: "user", text: long });
		await done(engine, { type: "item.append", agent, kind: "user", text: "x".repeat(900_000) });
		await done(engine, {
			type: "item.append",
			agent,
			kind: "user",
			text: Array.from({ length: 60_000 }, (_, at) => `w${at}`).join(" "),
		});
		const [snippet = ""] = await found(engine, "needle");
		expect(snippet).toMatch(/^….*needle.*…$/);
		expect(snippet.length).toBeLessThan(200);
		expect(await found(engine, "x".repeat(500))).toHaveLength(1);
		expect(await found(engine, "w9000")).toHaveLength(1);
		expect(await found(engine, "w59000")).toEqual([]);
	});
});
