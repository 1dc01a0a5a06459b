import { expect, test } from "vitest";
import { drawnWith, isShort } from "./drawn-files.ts";

test("a file of more than 20,000 changed lines is drawn only on request, also if an answer has it whole", () => {
	const changed = (path: string, added: number) => ({ path, from: null, added, deleted: 0 });
	const patchOf = (path: string) =>
		`diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -0,0 +1 @@\n+one\n`;
	const answer = {
		files: [changed("long.txt", 20_001), changed("short.txt", 20_000)],
		patch: `${patchOf("long.txt")}${patchOf("short.txt")}`,
	};
	expect([...drawnWith(new Map(), answer, isShort).keys()]).toEqual(["short.txt"]);
	expect([...drawnWith(new Map(), answer).keys()]).toEqual(["long.txt", "short.txt"]);
});
