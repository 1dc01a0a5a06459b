import { expect, test } from "vitest";
import { z } from "zod";
import { AgentEvent } from "#contract/agent.ts";
import { ApprovalEvent } from "#contract/approval.ts";
import { MailEvent } from "#contract/mail.ts";
import { TurnEvent } from "#contract/turn.ts";
import { WorkspaceEvent } from "#contract/workspace-step.ts";
import { journalFilters } from "./journal-filters.ts";

test("a filter of the journal asks only for kinds of events that exist", () => {
	const known = kindsIn([AgentEvent, ApprovalEvent, MailEvent, TurnEvent, WorkspaceEvent]);
	expect(known).toContain("agent.spawned");
	expect(known).not.toContain("agent.killed");
	const asked = journalFilters.flatMap(({ kinds }) => kinds);
	expect(asked.length).toBeGreaterThan(9);
	expect(asked.filter((kind) => !known.includes(kind))).toEqual([]);
});

/** Every `kind` that these schemas name. */
const kindsIn = (schemas: readonly z.ZodType[]): string[] =>
	[
		...JSON.stringify(schemas.map((each) => z.toJSONSchema(each, { unrepresentable: "any" }))).matchAll(kindConst),
	].flatMap(([, kind]) => kind ?? []);
const kindConst = /"kind":\{"type":"string","const":"([^"]+)"/g;
