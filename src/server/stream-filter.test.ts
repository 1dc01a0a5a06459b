import { expect, test } from "vitest";
import type { Event } from "#contract/event.ts";
import { AgentId, ProjectSlug } from "#contract/ids.ts";
import { StreamFilter } from "./stream-filter.ts";

const project = ProjectSlug.parse("web");
const idOf = (letter: string): AgentId => AgentId.parse(letter.repeat(22));
const [early, late, other] = [idOf("A"), idOf("B"), idOf("C")];

const event = (id: number, kind: string, agent: AgentId | null, data: object = {}) =>
	({ id, kind, agent, data, text: null, turn: null, at: 0, actor: "human", command: "x" }) as Event;

test("a reader of some kinds of a project gets those of agents and issues that came after it", async () => {
	const reads = { agentIds: async () => [early], issueIds: async () => [7] };
	const filter = await StreamFilter.of({ project, kinds: ["note", "issue.moved"] }, reads);
	// what the journal is asked for while it catches up
	const asked = filter.range(0, 100, 10).kinds ?? [];
	expect(asked).toEqual(["note", "issue.moved", "agent.spawned", "issue.added"]);
	const journal = [
		event(20, "note", early),
		event(21, "agent.spawned", late, { project }),
		event(22, "agent.spawned", other, { project: "api" }),
		event(23, "note", late),
		event(24, "note", other),
		event(25, "issue.added", null, { project }),
		event(26, "issue.added", null, { project: "api" }),
		event(27, "issue.moved", null, { issueId: 25 }),
		event(28, "issue.moved", null, { issueId: 26 }),
		event(29, "issue.moved", null, { issueId: 7 }),
	].filter(({ kind }) => asked.includes(kind));
	expect(journal.filter((each) => filter.takes(each)).map(({ id }) => id)).toEqual([20, 23, 27, 29]);
});
