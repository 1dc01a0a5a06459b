import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { looksLoggedIn } from "../install.ts";
import { splitCommandLine } from "../programs.ts";
import { vendors } from "./vendors.ts";

test("a sign of a login is a file in the home that the vendor's own program leaves there", () => {
	const home = mkdtempSync(path.join(os.tmpdir(), "brood-test-"));
	const loggedIn = () =>
		Object.entries(vendors).flatMap(([type, vendor]) => (looksLoggedIn(vendor, home) ? [type] : []));
	expect(loggedIn()).toEqual([]);
	mkdirSync(path.join(home, ".codex"));
	writeFileSync(path.join(home, ".codex/auth.json"), "{}");
	expect(loggedIn()).toEqual(["codex"]);
});

test("settings that Claude Code creates at every start are no sign of a login, those after a login are", () => {
	const home = mkdtempSync(path.join(os.tmpdir(), "brood-test-"));
	const looksSo = (settings: object) => {
		writeFileSync(path.join(home, ".claude.json"), JSON.stringify(settings, null, 2));
		return looksLoggedIn(vendors["claude"] ?? expect.fail(), home);
	};
	expect(looksSo({ firstStartTime: "2026-11-17T23:24:36.403Z", hasCompletedOnboarding: false })).toBe(false);
	expect(looksSo({ hasCompletedOnboarding: true })).toBe(true);
	expect(looksSo({ oauthAccount: { emailAddress: "you@example.org" } })).toBe(true);
});

test.each([
	["goose acp", ["goose", "acp"]],
	["  a  'b c' \"d 'e'\" f\\ g \"h\\\"i\" ''", ["a", "b c", "d 'e'", "f g", 'h"i', ""]],
	["a $HOME `b` | c > d; e", ["a", "$HOME", "`b`", "|", "c", ">", "d;", "e"]],
	["", []],
	["a 'b", null],
])("%j is split into words, and no shell ever sees it", (line, words) => {
	expect(splitCommandLine(line)).toEqual(words);
});

test("OpenCode's log says why a request was refused, and calls for titles do not count", () => {
	const line = (small: boolean) =>
		`timestamp=2026-11-15T20:04:16.074Z level=ERROR run=726cb535 message="stream error" providerID=test modelID=m session.id=ses_1 small=${small} agent=build mode=primary error.error="AI_APICallError: \\"Rate\\" limit reached"`;
	expect(vendors["opencode"]?.limits?.limitLogPattern?.exec(line(false))?.[1]).toBe(
		'AI_APICallError: \\"Rate\\" limit reached',
	);
	expect(vendors["opencode"]?.limits?.limitLogPattern?.exec(line(true))).toBeNull();
});
