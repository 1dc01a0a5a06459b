import { expect, test } from "vitest";
import { fileRows } from "./file-rows.ts";

const files = ["README.md", "src/a.ts", "src/b.ts", "test/a.ts"].map((path) => ({
	...{ path, from: null, added: 1, deleted: 0 },
}));

const named = (words: string, collapsed: readonly string[] = []): string[] =>
	fileRows(files, { words, collapsed: new Set(collapsed) }).map((row) =>
		row.kind === "folder" ? row.folder : row.name,
	);

test("files are below their folder, a collapsed folder hides them, and a search finds them all the same", () => {
	expect(named("")).toEqual(["README.md", "src/", "a.ts", "b.ts", "test/", "a.ts"]);
	expect(named("", ["src/"])).toEqual(["README.md", "src/", "test/", "a.ts"]);
	expect(named("B.ts", ["src/"])).toEqual(["src/", "b.ts"]);
	expect(named("nowhere")).toEqual([]);
});

test("what is in a folder is one level below it; files of the top folder are not below the one before them", () => {
	const mixed = ["src/a.ts", "src/deep/b.ts", "README.md"].map((path) => ({
		...{ path, from: null, added: 1, deleted: 0 },
	}));
	const rows = fileRows(mixed, { words: "", collapsed: new Set() });
	expect(rows.map((row) => [row.kind === "folder" ? row.folder : row.name, row.level])).toEqual([
		["src/", 1],
		["a.ts", 2],
		["src/deep/", 1],
		["b.ts", 2],
		["README.md", 1],
	]);
});
