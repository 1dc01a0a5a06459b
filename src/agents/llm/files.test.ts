import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { editFile, findFiles, readFile, writeFile } from "./files.ts";

let location = "";
const at = (name: string): string => path.join(location, name);

beforeEach(() => {
	location = mkdtempSync(path.join(os.tmpdir(), "brood-test-"));
	for (const folder of ["work", "outside"]) mkdirSync(at(folder));
	writeFileSync(at("outside/secret.txt"), "secret");
	writeFileSync(at("work/own.txt"), "own");
	vi.spyOn(process, "cwd").mockReturnValue(at("work"));
});

afterEach(() => {
	vi.restoreAllMocks();
	rmSync(location, { recursive: true, force: true });
});

test("a link to a file that is not there yet leads nowhere outside", () => {
	symlinkSync(at("outside/new.txt"), at("work/straight"));
	symlinkSync("straight", at("work/around"));
	symlinkSync("../outside/folder", at("work/folder"));
	for (const name of ["straight", "around", "folder/new.txt"]) {
		expect(() => writeFile({ path: name, content: "x" }), name).toThrow("is not in the workspace");
	}
	expect(existsSync(at("outside/new.txt"))).toBe(false);
	expect(existsSync(at("outside/folder"))).toBe(false);
});

test("a link that stays inside is followed, also to what is not there yet", () => {
	symlinkSync("later/new.txt", at("work/link"));
	writeFile({ path: "link", content: "x" });
	expect(readFileSync(at("work/later/new.txt"), "utf8")).toBe("x");
	symlinkSync("circle", at("work/circle"));
	expect(() => writeFile({ path: "circle", content: "x" })).toThrow();
});

test("what git keeps is not written to, however its name is written", () => {
	for (const name of [".git/config", ".GIT/config", "a/.Git/hooks/x"]) {
		expect(() => writeFile({ path: name, content: "x" }), name).toThrow("What git keeps");
	}
});

test("names are found inside only, whatever a pattern or a link says", async () => {
	symlinkSync(at("outside"), at("work/link"));
	for (const pattern of [
		"{..,x}/outside/*",
		"{.,..}/*/secret.txt",
		`{${at("outside")},x}/*`,
		"link/*",
		"../outside/*",
		at("outside/*"),
	]) {
		const found = await findFiles({ pattern }).catch((error: unknown) => String(error));
		expect(found, pattern).not.toContain("secret.txt");
	}
	expect(await findFiles({ pattern: "{own,other}.*" })).toBe("own.txt");
	expect(() => readFile({ path: "link/secret.txt" })).toThrow("is not in the workspace");
	expect(() => editFile({ path: "../outside/secret.txt", old: "s", new: "x", all: false })).toThrow(
		"is not in the workspace",
	);
});
