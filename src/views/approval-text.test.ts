import { expect, test } from "vitest";
import type { ApprovalOption } from "#contract/approval.ts";
import { alwaysText, contentBesideCommand, isOneLine } from "./approval-text.ts";

test("a place that shows the command gets everything else that was reported, and nothing less", () => {
	const beside = (line: string, content: string) => contentBesideCommand({ content, command: { line, folder: null } });
	expect(beside("npm test", "command: npm test\ndescription: Run $& the tests")).toBe("description: Run $& the tests");
	expect(beside("npm test", "npm test")).toBe("");
	expect(beside("npm test\nrm x", "cwd: /w\ncommand:\n  npm test\n  rm x\ndescription: Both")).toBe(
		"cwd: /w\ndescription: Both",
	);
	// another command stays, and so does one that only begins alike
	expect(beside("npm test", "command: npm test; rm x")).toBe("command: npm test; rm x");
	expect(contentBesideCommand({ content: "command: npm test" })).toBe("command: npm test");
});

test("what always covers is said, also what the program itself no longer asks", () => {
	const once: ApprovalOption = { id: "1", name: "Yes", kind: "allow_once" };
	const always: ApprovalOption = { id: "2", name: "Yes, allow all edits during this session", kind: "allow_always" };
	const covered = (tool: string, files: string[], options: ApprovalOption[]) => alwaysText({ tool, files, options });
	const edits = "edits of the same files, whatever they write";
	const own = ", and all that its program means by “Yes, allow all edits during this session”";
	expect([
		covered("execute", [], [once]),
		covered("execute", ["/a"], [once, always]),
		covered("edit", ["/a"], [once]),
		covered("edit", ["/a"], [once, always]),
	]).toEqual(["exactly this", `exactly this${own}`, edits, edits + own]);
});

test("a question is one line only if its title says all of it", () => {
	const asked = { title: "npm test", content: "", files: [], command: { line: "npm test", folder: null } };
	expect([asked, { ...asked, content: "npm test" }].map(isOneLine)).toEqual([true, true]);
	const more = [
		{ ...asked, title: `echo ok ${"; echo ok".repeat(40)}; rm -rf /` },
		{ ...asked, title: "npm test\nrm -rf /" },
		{ ...asked, content: "command: npm test\ndescription: and more" },
		{ ...asked, command: { line: "npm test; rm -rf /", folder: null } },
		{ ...asked, files: ["/etc/passwd"] },
	];
	expect(more.map(isOneLine)).toEqual(more.map(() => false));
});
