import { expect, test } from "vitest";
import { human } from "#contract/ids.ts";
import { live } from "#test/support/given.ts";
import { acceptable, isDrift, withProcesses } from "./health.ts";

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

test("drift is what recover can put right: a missing sandbox is none in the repository itself", () => {
	const at = (kind: "main" | "clone") => ({ ...live("a"), workspace: { kind, path: "/w", branch: "a", base: "main" } });
	const found = (code: "OTHER_BRANCH" | "NOT_SANDBOXED" | "LEASE_OLD", kind: "main" | "clone") =>
		isDrift({ code, text: "", fix: "" }, at(kind));
	expect([found("OTHER_BRANCH", "main"), found("NOT_SANDBOXED", "clone")]).toEqual([true, true]);
	expect([found("NOT_SANDBOXED", "main"), found("LEASE_OLD", "clone")]).toEqual([false, false]);
});

test("recover leaves the tree of an interrupted step or of a drift as it is, never that of a failed step", () => {
	const held = (...kinds: ("error" | "drift" | "recovery")[]) =>
		acceptable({
			...live("a"),
			seenCommit: "c1",
			holds: kinds.map((kind) => ({
				...{ kind, reason: "", by: human, at: 1 },
				...(kind === "recovery" && { step: "sync" as const }),
			})),
		});
	expect([held("drift"), held("recovery"), held("recovery", "drift")]).toEqual([
		{ seen: "c1" },
		{ seen: null, step: "sync" },
		{ seen: null, step: "sync" },
	]);
	expect([held(), held("error"), held("drift", "error")]).toEqual([undefined, undefined, undefined]);
});
