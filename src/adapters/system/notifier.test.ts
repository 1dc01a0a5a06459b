import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import type { Notice } from "#contract/notice.ts";
import { homeIdName } from "#contract/own-variables.ts";
import { noLog } from "#engine/ports/log.ts";
import { Notifier } from "./notifier.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "brood-test-"));
const environment = { PATH: "/bin:/usr/bin", [homeIdName]: "another" };
const notice: Notice = {
	...{ kind: "approval", title: "web/a asks", text: "<b>May I & you?</b>", next: "brood approval show 1" },
	...{ agent: "web/a", issue: null, approval: 1, project: "web" },
};

function program(name: string, body: string): string {
	const file = path.join(folder, name);
	writeFileSync(file, `#!/bin/sh\n${body}\n`);
	chmodSync(file, 0o700);
	return file;
}
const linesOf = (file: string): string[] =>
	existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];

test("what is too much for a period is told as one", async () => {
	const out = path.join(folder, "rate");
	const tell = program("tell", `printf '%s\\n' "$BROOD_NOTICE_TITLE$${homeIdName}" >> ${out}`);
	using notifier = new Notifier({
		...{ config: { command: [tell] }, environment, log: noLog, countMax: 3, periodMs: 500 },
	});
	for (let count = 0; count < 10; count++) notifier.notify(notice);
	await expect.poll(() => linesOf(out).length, { timeout: 10_000 }).toBe(4);
	expect(linesOf(out).sort()).toEqual(["7 more notices", "web/a asks", "web/a asks", "web/a asks"]);
});

test("the desktop's program gets words as arguments, without markup; a failure is logged once until it works again", async () => {
	const out = path.join(folder, "desktop");
	const warned: string[] = [];
	const log = { ...noLog, warn: (_: string, text: string) => void warned.push(text) };
	const desktop = { PATH: `${folder}:/bin:/usr/bin`, FILE: out };
	program(
		"notify-send",
		'test ! -e "$FILE.broken" || { echo "no display" >&2; exit 1; }; printf "%s\\n" "$@" >> "$FILE"',
	);
	using notifier = new Notifier({ config: { desktop: true }, environment: desktop, log });
	notifier.notify(notice);
	await expect
		.poll(() => linesOf(out), { timeout: 10_000 })
		.toEqual([
			...["--app-name=Brood", "--", "web/a asks", "&lt;b&gt;May I &amp; you?&lt;/b&gt;", "brood approval show 1"],
		]);
	writeFileSync(`${out}.broken`, "");
	for (let count = 0; count < 3; count++) notifier.notify(notice);
	await expect.poll(() => warned.length, { timeout: 10_000 }).toBe(1);
	expect(warned[0]).toContain("no display");
});

test("a program that does not exist, or does not read, harms nobody", async () => {
	const warned: string[] = [];
	const log = { ...noLog, warn: (_: string, text: string) => void warned.push(text) };
	using notifier = new Notifier({
		...{ config: { command: ["/nowhere/tell"] }, environment, log },
	});
	notifier.notify(notice);
	await expect.poll(() => warned, { timeout: 10_000 }).toEqual([expect.stringContaining("/nowhere/tell")]);
});
