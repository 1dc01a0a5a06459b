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
