// What is kept over a restart of the terminal.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { AgentId } from "#contract/ids.ts";
import { freshFolder } from "#test/support/stores.ts";
import { SavedFile } from "../../src/surfaces/tui/saved.ts";

const [one, two] = [AgentId.parse("A".repeat(22)), AgentId.parse("B".repeat(22))];
const cursor = { line: 0, column: 1 };
const file = (home: string): string => path.join(home, "terminal.json");
const none = { anchors: new Map(), opened: new Set<number>(), viewed: new Set<string>() };

test("of two terminals each writes what it changed, and keeps what the other wrote", () => {
	const home = freshFolder();
	new SavedFile(home).save({ ...none, viewed: new Set(["old", "seen"]), last: ["shop", one] });
	const [first, second] = [new SavedFile(home), new SavedFile(home)];
	first.saved.drafts[one] = { text: "for one", cursor };
	first.saved.preferences.mouse = false;
	const anchors = new Map([[one, { block: 7, row: 0 }]]);
	first.save({ anchors, opened: new Set([7]), viewed: new Set(["seen", "new"]), last: ["", one] });
	second.saved.drafts[two] = { text: "for two", cursor };
	second.save({ ...none, opened: new Set([9]), viewed: new Set(["old", "seen", "other"]), last: ["shop", two] });
	const { writing, ...rest } = JSON.parse(readFileSync(file(home), "utf8"));
	expect(Object.values(writing)).toEqual([
		{ [one]: { text: "for one", cursor } },
		{ [two]: { text: "for two", cursor } },
	]);
	expect(rest).toEqual({
		drafts: {},
		edits: {},
		unanswered: {},
		anchors: { [one]: { block: 7, row: 0 } },
		opened: [7, 9],
		last: { shop: two, "": one },
		viewed: ["seen", "new", "other"],
		preferences: { mouse: false, follow: true },
	});
	// what is sent is gone, also from the file
	delete second.saved.drafts[two];
	second.save({ ...none, last: ["shop", two] });
	expect(Object.keys(new SavedFile(home).saved.drafts)).toEqual([one]);
});

test("two terminals that write to one agent lose no text, in whichever order they end, and what was sent does not come back", () => {
	const to = { ...none, last: ["shop", one] as [string, AgentId] };
	for (const order of [
		[0, 1],
		[1, 0],
	]) {
		const home = freshFolder();
		const both = [new SavedFile(home), new SavedFile(home)];
		for (const [at, text] of ["first", "second", "second, longer"].entries()) {
			const each = both[Math.min(at, 1)];
			if (each) each.saved.drafts[one] = { text, cursor };
			each?.save(to);
		}
		for (const at of order) both[at]?.save(to, true);
		expect(new SavedFile(home).saved.drafts[one]?.text.split("\n").toSorted()).toEqual(["first", "second, longer"]);
		// control: one that only read it brings nothing back
		const [reader, writer] = [new SavedFile(home), new SavedFile(home)];
		delete writer.saved.drafts[one];
		writer.save(to, true);
		reader.save(to, true);
		expect(new SavedFile(home).saved.drafts).toEqual({});
	}
});

test("two terminals that are left by Ctrl+C, which takes the text out of the input for a while, keep each text once", () => {
	const to = { ...none, last: ["shop", one] as [string, AgentId] };
	const home = freshFolder();
	const [first, second] = [new SavedFile(home), new SavedFile(home)];
	const write = (file: SavedFile, text: string): void => {
		file.saved.drafts[one] = { text, cursor };
		file.save(to);
	};
	write(first, "AAA");
	write(second, "BBB");
	for (const [file, text] of [
		[second, "BBB"],
		[first, "AAA"],
	] as const) {
		delete file.saved.drafts[one];
		file.save(to);
		file.saved.drafts[one] = { text, cursor };
		file.save(to, true);
	}
	expect(new SavedFile(home).saved.drafts[one]?.text).toBe("BBB\nAAA");
});

test("what one of two terminals sends or changes is not brought back by the other", () => {
	const to = { ...none, last: ["shop", one] as [string, AgentId] };
	const write = (file: SavedFile, text: string | null): void => {
		if (text === null) delete file.saved.drafts[one];
		else file.saved.drafts[one] = { text, cursor };
		file.save(to);
	};
	const left = (home: string): string | undefined => new SavedFile(home).saved.drafts[one]?.text;
	for (const [isSentFirst, text, expected] of [
		[false, null, "AAA"],
		[false, "BBB more", "AAA\nBBB more"],
		[false, "B, shorter", "AAA\nB, shorter"],
		[true, "BBB", "BBB"],
		[true, null, undefined],
	] as const) {
		const home = freshFolder();
		const [first, second] = [new SavedFile(home), new SavedFile(home)];
		write(first, "AAA");
		write(second, "BBB");
		if (isSentFirst) write(first, null);
		first.save(to, true);
		write(second, text);
		second.save(to, true);
		expect(left(home)).toBe(expected);
	}
	// both are killed: what they had is shown by the next one, and gone once that has sent it
	const home = freshFolder();
	const killed = [new SavedFile(home), new SavedFile(home)];
	for (const [at, text] of ["AAA", "BBB"].entries()) if (killed[at]) write(killed[at], text);
	const next = new SavedFile(home);
	expect(next.saved.drafts[one]?.text).toBe("AAA\nBBB");
	next.save(to, true);
	expect(left(home)).toBe("AAA\nBBB");
	write(new SavedFile(home), null);
	expect(left(home)).toBeUndefined();
});

test("a part of the file that is damaged is as good as none", () => {
	const home = freshFolder();
	const nothing = new SavedFile(home).saved;
	for (const text of ["", "[]", "null", "{"]) {
		writeFileSync(file(home), text);
		const damaged = new SavedFile(home);
		expect(damaged.saved).toEqual(nothing);
		// it is kept aside, which is said once
		expect(damaged.restored().status?.text).toContain("terminal.json was damaged and is now terminal.json.damaged");
		expect(readFileSync(`${file(home)}.damaged`, "utf8")).toBe(text);
		expect(new SavedFile(home).restored().status).toBeNull();
	}
	// and what is written to one home is not in another
	nothing.drafts[two] = { text: "elsewhere", cursor };
	nothing.preferences.mouse = false;
	expect(new SavedFile(freshFolder()).saved).toMatchObject({ drafts: {}, preferences: { mouse: true } });
	expect(Object.keys(new SavedFile(freshFolder()).saved.drafts)).toEqual([]);
	const drafts = { [one]: { text: "kept", cursor } };
	writeFileSync(file(home), JSON.stringify({ drafts, last: null, anchors: 7, viewed: {}, preferences: { mouse: 1 } }));
	expect(new SavedFile(home).saved).toEqual({ ...new SavedFile(freshFolder()).saved, drafts });
});
