import { expect, test } from "vitest";
import { fileRows } from "./file-rows.ts";

const filesAt = (...paths: readonly string[]) =>
	paths.map((path) => ({ ...{ path, from: null, added: 1, deleted: 0 } }));

interface Asked {
	words?: string;
	collapsed?: readonly string[];
}

/** Each row as its name below the rows above it. */
const drawn = (paths: readonly string[], { words = "", collapsed = [] }: Asked = {}): string[] =>
	fileRows(filesAt(...paths), { words, collapsed: new Set(collapsed) }).map(
		({ level, name }) => `${"  ".repeat(level - 1)}${name}`,
	);

const flat = ["README.md", "src/a.ts", "src/b.ts", "test/a.ts"];
const nested = ["src/api/v2/deep/er/a.ts", "src/api/v2/b.ts", "src/c.ts", "src/d/e.ts", "top.md"];

test("files are below their folders in the order of the diff, and a chain of folders is one row", () => {
	expect(drawn(flat)).toEqual(["README.md", "src/", "  a.ts", "  b.ts", "test/", "  a.ts"]);
	expect(drawn(nested)).toEqual([
		"src/",
		"  api/v2/",
		"    deep/er/",
		"      a.ts",
		"    b.ts",
		"  c.ts",
		"  d/",
		"    e.ts",
		"top.md",
	]);
	const inOrder = fileRows(filesAt(...nested), { words: "", collapsed: new Set() });
	expect(inOrder.flatMap((row) => (row.kind === "file" ? [row.file.path] : []))).toEqual(nested);
	expect(drawn(["a/b/c.ts", "a/b/d.ts"])).toEqual(["a/b/", "  c.ts", "  d.ts"]);
});

test("a collapsed folder hides everything below it, and says how many files that is", () => {
	expect(drawn(flat, { collapsed: ["src/"] })).toEqual(["README.md", "src/", "test/", "  a.ts"]);
	expect(drawn(nested, { collapsed: ["src/"] })).toEqual(["src/", "top.md"]);
	expect(drawn(nested, { collapsed: ["src/api/v2/"] })).toEqual([
		"src/",
		"  api/v2/",
		"  c.ts",
		"  d/",
		"    e.ts",
		"top.md",
	]);
	const rows = fileRows(filesAt(...nested), { words: "", collapsed: new Set(["src/api/v2/"]) });
	expect(rows[1]).toEqual({
		...{ kind: "folder", folder: "src/api/v2/", name: "api/v2/", count: 2, isCollapsed: true },
		...{ level: 2, position: 1, siblings: 3 },
	});
});

test("a search finds the files that have all words in their path, in any order and below collapsed folders", () => {
	expect(drawn(flat, { words: "B.ts", collapsed: ["src/"] })).toEqual(["src/", "  b.ts"]);
	expect(drawn(nested, { words: " B.ts  API " })).toEqual(["src/api/v2/", "  b.ts"]);
	expect(drawn(nested, { words: "api nowhere" })).toEqual([]);
});

test("a folder whose files do not follow each other is there twice: the order is that of the diff", () => {
	expect(drawn(["src/a.ts", "top.md", "src/b.ts"])).toEqual(["src/", "  a.ts", "top.md", "src/", "  b.ts"]);
});
