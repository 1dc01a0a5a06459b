// A lock in an agent's own git folder: whose it is, is known by its age alone.
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { freshFolder } from "#test/support/stores.ts";
import { removeOldLocks } from "./old-locks.ts";

const [second, hour] = [1000, 3_600_000];
const start = 1_000 * hour;
/** A moment, by the clock and by the machine's uptime. */
const moment = (clock: number, uptime: number): string => `${clock} ${uptime}`;

function folderWith(locks: Readonly<Record<string, number>>): string {
	const folder = freshFolder();
	mkdirSync(path.join(folder, "refs/heads"), { recursive: true });
	for (const [name, at] of Object.entries(locks)) {
		writeFileSync(path.join(folder, name), "");
		utimesSync(path.join(folder, name), at / 1000, at / 1000);
	}
	return folder;
}
const left = (folder: string): string[] =>
	readdirSync(folder, { recursive: true, encoding: "utf8" })
		.filter((name) => /lock|link/.test(name))
		.toSorted();

test("goes if it is from before the daemon's start, and stays if it is from after it", async () => {
	const folder = folderWith({
		"index.lock": start - second,
		"HEAD.lock": start + second,
		"refs/heads/a.lock": start - hour,
		"config.locked": start - hour,
	});
	symlinkSync("index", path.join(folder, "link.lock"));
	await removeOldLocks(folder, moment(start, 5 * hour), moment(start + hour, 6 * hour));
	expect(left(folder)).toEqual(["HEAD.lock", "config.locked", "link.lock"]);
});

test("stays if it was made after the clock was set back", async () => {
	const locks = { "index.lock": start - 23 * hour, "HEAD.lock": start - 30 * hour };
	const folder = folderWith(locks);
	// an hour after the start, 24 hours back
	await removeOldLocks(folder, moment(start, 5 * hour), moment(start - 23 * hour, 6 * hour));
	expect(left(folder)).toEqual(["index.lock"]);
	// the control: without that jump it would be an old one
	await removeOldLocks(folder, moment(start, 5 * hour), moment(start + hour, 6 * hour));
	expect(left(folder)).toEqual([]);
});
