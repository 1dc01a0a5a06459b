import { expect, test } from "vitest";
import { human } from "#contract/ids.ts";
import { eventView } from "./wire.ts";

const event = { id: 1, agent: null, turn: null, text: null, at: 0, actor: human, command: "c" };

test.each(["person.added", "person.configured"])("%s shows no hash of a token", (kind) => {
	const data = { name: "anna", role: "member" };
	const shown = { ...event, kind, data, at: "1970-01-01T00:00:00.000Z" };
	expect(eventView({ ...event, kind, data: { ...data, tokenHash: "a".repeat(64) } })).toEqual(shown);
	// control: of no other event anything is taken away
	const other = { ...data, tokenHash: "a" };
	expect(eventView({ ...event, kind: "agent.held", data: other }).data).toEqual(other);
});
