// The soak itself: its judgement, and a run of some seconds that is made to leak. Half an hour of it is `npm run soak`.
import { execFile } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { judge, samplesMin } from "#test/support/soak-verdict.ts";

const rule = { name: "it", unit: "", share: 0.2, floor: 5, because: "" } as const;
const samples = (length: number, at: (number: number) => number): number[] =>
	Array.from({ length }, (_, number) => at(number));

test("what stays, goes up and down, or grows only at first is flat; what goes on growing is not", () => {
	const flat = {
		same: samples(60, () => 100),
		saw: samples(60, (number) => (number % 7) * 20),
		early: samples(60, (number) => Math.min(number, 18) * 10),
		noisy: samples(60, (number) => 100 + ((number * 7919) % 13)),
	};
	const growing = {
		slowly: samples(60, (number) => 10 + number * 2),
		saw: samples(60, (number) => (number % 7) * 20 + number * 3),
		late: samples(60, (number) => (number < 50 ? 10 : 100)),
	};
	const verdicts = (all: Record<string, number[]>): Record<string, boolean> =>
		Object.fromEntries(Object.entries(all).map(([name, each]) => [name, judge(rule, each).grows]));
	expect(verdicts(flat)).toEqual({ same: false, saw: false, early: false, noisy: false });
	expect(verdicts(growing)).toEqual({ slowly: true, saw: true, late: true });
	expect(() =>
		judge(
			rule,
			samples(samplesMin - 1, () => 1),
		),
	).toThrow("too few");
});

test("a run that leaves temporary folders behind is told that they grow, and nothing else", {
	timeout: 120_000,
}, async () => {
	const args = ["bench/soak.ts", "--minutes", "0.08", "--agents", "2", "--pace", "200", "--leak"];
	const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) => {
		execFile(process.execPath, args, { cwd: path.join(import.meta.dirname, "..") }, (error, stdout, stderr) =>
			resolve({ code: error?.code ?? 0, output: `${stdout}${stderr}` }),
		);
	});
	expect(output).toContain("verdict: grows: temporary folders\n");
	expect(code).toBe(1);
	expect(output).toMatch(/failed 0\n/);
	expect(output).toMatch(/done \{.*"write":\d/);
	// each figure is one of a daemon that is there
	for (const name of ["memory of the daemon", "processes", "file descriptors", "repository", "files in the home"])
		expect(
			Number(new RegExp(`^ {2}${name} +(?:MB)? +[\\d,.]+ +([\\d,.]+)`, "m").exec(output)?.[1]?.replaceAll(",", "")),
		).toBeGreaterThan(0);
});
