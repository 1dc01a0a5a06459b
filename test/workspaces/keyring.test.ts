// The kernel's keys of the user: no namespace keeps them from a process that runs as the same user, so the sandbox has
// to.
import { spawnSync } from "node:child_process";
import { describe, expect, onTestFinished, test } from "vitest";
import { hasSandboxes } from "#test/support/processes.ts";
import { runInSandbox } from "#test/support/sandbox.ts";
import { freshFolder } from "#test/support/stores.ts";

const numbers: Readonly<Record<string, readonly [add: number, request: number, control: number]>> = {
	x64: [248, 249, 250],
	arm64: [217, 218, 219],
};
const [add, request, control] = numbers[process.arch] ?? [0, 0, 0];
const [session, user] = [-3, -4];
const [identify, join, unlink, search] = [0, 1, 9, 10];

const name = `brood-${process.pid}`;
const strings = `my ($type, $name, $value) = ("user\\0", "${name}\\0", "x");`;
/** A test runs in any shell, so each call is a process of its own that says by its exit whether it was answered. */
const calls: Readonly<Record<string, string>> = {
	"find a key of the user": `${control}, ${search}, ${user}, $type, $name, 0`,
	"ask for a key": `${request}, $type, $name, 0, 0`,
	"write a key of the user": `${add}, $type, $name, $value, 1, ${user}`,
	"write a key of the session": `${add}, $type, $name, $value, 1, ${session}`,
	"join a keyring": `${control}, ${join}, 0`,
};
const answered = (call: string): string => `${strings} exit(syscall(${call}) < 0)`;
const perl = (code: string): boolean => spawnSync("/usr/bin/env", ["perl", "-e", code]).status === 0;

const script = [
	...Object.entries(calls).map(([what, call]) => `perl -e '${answered(call)}' && echo "${what}"`),
	`grep -q ${name} /proc/keys 2>/dev/null && echo "see the name of a key"`,
	"echo all tried",
].join("\n");
const everything = [...Object.keys(calls), "see the name of a key", "all tried", "exit 0", ""];

/** A machine without keyrings, or a container that closes them, has nothing to show. */
const hasKeys = perl(answered(`${control}, ${identify}, ${user}, 1`));

describe.runIf(hasSandboxes && hasKeys)("the kernel's keys of the user", () => {
	test("are out of reach in a sandbox, and within reach without one", () => {
		onTestFinished(
			() =>
				void perl(`${strings} syscall(${control}, ${unlink}, syscall(${calls["find a key of the user"]}), ${user})`),
		);
		expect(perl(answered(calls["write a key of the user"] ?? ""))).toBe(true);
		const folder = freshFolder();
		const mounts = { hidden: [], readable: [], writable: [folder], fixed: [] };
		expect(runInSandbox({ ...mounts, open: true }, folder, script, {}).split("\n")).toEqual(everything);
		expect(runInSandbox(mounts, folder, script, {})).toBe("all tried\nexit 0\n");
		// the filter's file descriptor is not open in the sandbox
		expect(runInSandbox(mounts, folder, "ls -l /proc/self/fd", {})).not.toContain("filter");
	});
});
