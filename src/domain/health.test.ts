import { expect, test } from "vitest";
import { live } from "#test/support/given.ts";
import { withProcesses } from "./health.ts";

const well = { healthy: true, issues: [] };
const server = { pid: 7, command: "node server.js" };

test("what tools left behind is named once the turn is over, and not before", () => {
	const running = { ...live("a"), turn: { id: 1, prompt: 1, startedAt: 1, silentSince: null, subscription: null } };
	expect(withProcesses(well, running, [server], 1)).toEqual(well);
	expect(withProcesses(well, live("a"), [], 1)).toEqual(well);
	expect(withProcesses(well, live("a"), [server], 1)).toMatchObject({
		healthy: false,
		issues: [
			{
				code: "PROCESSES_LEFT",
				text: "Its tools left behind: 7 (node server.js). They end with its process.",
				fix: "brood agent status a",
			},
		],
	});
});

test("a git step that takes longer than ten minutes is named", () => {
	const leased = { ...live("a"), lease: { step: "sync" as const, at: 0 } };
	expect(withProcesses(well, leased, [], 60_000)).toEqual(well);
	expect(withProcesses(well, leased, [], 11 * 60_000)).toMatchObject({
		healthy: false,
		issues: [{ code: "LEASE_OLD", text: "A git step (sync) has been running for 11 minutes." }],
	});
});
