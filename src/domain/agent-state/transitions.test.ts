import { expect, test } from "vitest";
import { type AgentState, activities, type Label, labels } from "#contract/agent.ts";
import { human } from "#contract/ids.ts";
import { agent, live } from "#test/support/given.ts";
import type { holdTable } from "./holds.ts";
import { labelOf } from "./label.ts";
import { type AgentOperation, operations, refusedNow, transitions } from "./transitions.ts";

const hold = (kind: keyof typeof holdTable) => ({ kind, reason: "", by: human, at: 1 });

/** An agent under each label. */
const under: Record<Label, AgentState> = {
	init: agent("a"),
	idle: live("a"),
	checkout: { ...live("a"), activity: "preparing" },
	running: { ...live("a"), activity: "running" },
	done: { ...live("a"), activity: "settling" },
	paused: { ...live("a"), holds: [hold("user")] },
	error: { ...live("a"), holds: [hold("error")] },
	dead: { ...live("a"), life: "ended" },
	deleted: { ...live("a"), life: "ended", workspaceRemovedAt: 2 },
};

test("each label is derived from its facts", () => {
	for (const label of labels) expect(labelOf(under[label])).toBe(label);
});

test("an error beats a pause, and a hold shows only while the agent is idle", () => {
	expect(labelOf({ ...live("a"), holds: [hold("user"), hold("crash")] })).toBe("error");
	expect(labelOf({ ...agent("a"), holds: [hold("error")] })).toBe("error");
	expect(labelOf({ ...agent("a"), holds: [hold("user")] })).toBe("init");
	for (const activity of activities.filter((each) => each !== "idle"))
		expect(labelOf({ ...live("a"), activity, holds: [hold("user")] })).not.toBe("paused");
});

const cells = operations.flatMap((operation) => labels.map((label): [AgentOperation, Label] => [operation, label]));

test("every operation has an outcome under every label", () => {
	expect(cells).toHaveLength(operations.length * 9);
	for (const [operation, label] of cells)
		expect(transitions[operation][label], `${operation} under ${label}`).toBeDefined();
});

test.each(cells)("%s under %s is refused with its code, from, to and a suggestion, or allowed", (operation, label) => {
	const cell = transitions[operation][label];
	const refusal = refusedNow(under[label], operation);
	if ("to" in cell) {
		expect(refusal).toBeNull();
		return;
	}
	expect(refusal).toMatchObject({ code: cell.refuse, details: { from: label, operation } });
	expect(refusal?.details).toHaveProperty("to");
	expect(refusal?.suggestions).toHaveLength(1);
	expect(refusal?.suggestions[0]).toMatch(/^brood (agent (status|interrupt|recover)|wait) a$/);
});

test("what must never be allowed is not", () => {
	const refusals = (operation: AgentOperation): Label[] =>
		labels.filter((label) => "refuse" in transitions[operation][label]);
	expect(refusals("delete")).toEqual(["init", "checkout", "running", "done", "deleted"]);
	// one code, whatever the agent is busy with; only a turn can be interrupted
	for (const [label, suggest] of [
		["checkout", "wait"],
		["running", "interrupt"],
		["done", "wait"],
	] as const)
		expect(transitions.delete[label]).toEqual({ refuse: "AGENT_INVALID_STATE", suggest });
	expect(refusals("interrupt")).toEqual(labels.filter((label) => label !== "running" && label !== "done"));
	expect(refusals("kill")).toEqual(["dead", "deleted"]);
	expect(refusals("start")).toEqual(["init", "checkout", "running", "done", "dead", "deleted"]);
	expect(refusals("prompt")).toEqual(["dead", "deleted"]);
	expect(refusals("reap")).toEqual(labels.filter((label) => label !== "dead" && label !== "deleted"));
});

test("a refusal is an English sentence whatever the label", () => {
	expect(refusedNow(under.checkout, "start")?.message).toBe(
		"a is not ready yet (checkout): another turn is not possible now.",
	);
	expect(refusedNow(under.init, "delete")?.message).toBe("a is not ready yet (init): delete is not possible now.");
	expect(refusedNow(under.running, "delete")?.message).toBe("a is running: delete is not possible now.");
	const messages = cells.map(([operation, label]) => refusedNow(under[label], operation)?.message);
	expect(messages.filter((message) => message !== undefined && / is (init|checkout|error)\b/.test(message))).toEqual(
		[],
	);
});
