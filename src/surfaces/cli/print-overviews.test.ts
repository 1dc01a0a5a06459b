import { expect, test } from "vitest";
import { AgentId, Handle } from "#contract/ids.ts";
import { inboxText } from "./print-overviews.ts";

const nothing = { approvals: [], errors: [], humanAgents: [], reviews: [], limits: [], nodes: [] };

test("the inbox lists nodes that stopped answering, with the agents whose files are there", () => {
	const fellAt = "2026-01-02T03:04:05.678Z";
	const agents = ["ada", "bob"].map((name) => ({
		id: AgentId.parse(name.padEnd(22, "x")),
		handle: Handle.parse(name),
		movable: name === "bob",
	}));
	const shown = inboxText({ ...nothing, nodes: [{ name: "forge", fellAt, agents }] });
	expect(shown).toContain("nodes that stopped answering (1)");
	expect(shown).toMatch(/forge +2026-01-02T03:04:05.678Z +ada, bob +brood agent move bob --to NODE/);
	const alone = inboxText({ ...nothing, nodes: [{ name: "forge", fellAt, agents: agents.slice(0, 1) }] });
	expect(alone).toMatch(/ada +start it again: its files are only there/);
	const empty = inboxText({ ...nothing, nodes: [{ name: "forge", fellAt, agents: [] }] });
	expect(empty).toContain("brood node remove forge");
	expect(inboxText(nothing)).toBe("nothing needs you");
});
