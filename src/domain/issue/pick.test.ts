import { describe, expect, test } from "vitest";
import type { AgentState } from "#contract/agent.ts";
import { type AgentId, human, ProjectSlug } from "#contract/ids.ts";
import type { IssueState } from "#contract/issue.ts";
import type { Preset } from "#contract/preset.ts";
import { defaultWorkSettings } from "#contract/project.ts";
import { agent, id, live } from "#test/support/given.ts";
import { issueChanges } from "../fold/issue.ts";
import { nextIssue, type Picked, type PickFacts, pickWork } from "./pick.ts";

const web = ProjectSlug.parse("web");
/** Three stages of work: anybody's, a model's with another as fallback, and one that only one issue may be in. */
const built: Preset = {
	stages: [
		{ name: "TODO", next: "BUILD" },
		{ name: "BUILD", next: "THINK", prompt: "{{body}}" },
		{ name: "THINK", next: "SHIP", prompt: "{{body}}", agent: { model: "opus" }, fallbacks: [{ model: "sonnet" }] },
		{ name: "SHIP", next: "DONE", prompt: "{{body}}", wipMax: 1 },
		{ name: "DONE", final: true },
	],
};
const presets = { built: { preset: built }, odd: { broken: "nobody knows the way" } };
const project = {
	...defaultWorkSettings,
	slug: web,
	path: "/srv/web",
	base: null,
	url: null,
	node: null,
	approved: [],
	addedAt: 1,
	removedAt: null,
	auto: true,
	presets,
};

const issue = (number: number, more: Partial<IssueState> = {}): IssueState => {
	const data = {
		project: web,
		number,
		title: `Issue ${number}`,
		priority: "medium" as const,
		preset: "built",
		stage: "TODO",
		labels: [],
		dependsOn: [],
	};
	return {
		...issueChanges["issue.added"].make({
			kind: "issue.added",
			agent: null,
			text: "",
			data,
			id: number,
			at: 1,
			actor: human,
		}),
		...more,
	};
};
const of = (letter: string, more: Partial<AgentState> = {}): AgentState => ({
	...live(letter),
	type: "claude",
	project: web,
	...more,
});
const given = (facts: Partial<PickFacts>): Picked => {
	const agents = facts.agents ?? [];
	const free = new Set(agents.filter(({ life }) => life === "live").map((each) => each.id));
	// by itself a test speaks of agents that nobody else uses
	const later = new Set(agents.map((each) => each.id));
	const rest = { subscribed: ["claude"], slots: new Map(), now: 0 };
	return pickWork({ project, issues: [], agents, free, later, ...rest, ...facts });
};
const assigned = (picked: Picked): string[] => picked.assign.map((each) => `#${each.issueId} to ${each.agent[0]}`);

describe("which issue is worked on next", () => {
	test("the most urgent one, of equals the one that was there first", () => {
		const issues = [issue(1, { priority: "low" }), issue(2), issue(3, { priority: "critical" }), issue(4)];
		expect(assigned(given({ issues, agents: [of("a"), of("b"), of("c")] }))).toEqual(["#3 to a", "#2 to b", "#4 to c"]);
	});

	test("none that waits for another, until that one is done or deleted", () => {
		const later = issue(2, { dependsOn: [1] });
		expect(assigned(given({ issues: [issue(1, { assignee: id("z") }), later], agents: [of("a")] }))).toEqual([]);
		expect(assigned(given({ issues: [issue(1, { doneAt: 1 }), later], agents: [of("a")] }))).toEqual(["#2 to a"]);
		expect(assigned(given({ issues: [issue(1, { deletedAt: 1 }), later], agents: [of("a")] }))).toEqual(["#2 to a"]);
	});

	test("none that needs a person, waits at a gate, has an agent, or has one that is on its way home", () => {
		const busy = [
			issue(1, { attention: { reason: "?", code: null, at: 1 } }),
			issue(2, { stage: "SHIP", waiting: "approval" }),
			issue(3, { stage: "BUILD", assignee: id("z") }),
			issue(4, { stage: "BUILD", returning: { agent: id("z"), work: true } }),
		];
		expect(given({ issues: busy, agents: [of("a")] })).toEqual({
			start: [],
			retry: [],
			assign: [],
			spawn: [],
			escalate: [],
			nextAt: null,
		});
	});

	test("one that failed, when its time has come", () => {
		const failed = issue(1, { stage: "BUILD", failures: 1, notBefore: 5000 });
		expect(given({ issues: [failed], agents: [of("a")] })).toMatchObject({ assign: [], nextAt: 5000 });
		expect(assigned(given({ issues: [failed], agents: [of("a")], now: 5000 }))).toEqual(["#1 to a"]);
	});

	test("one whose preset is broken never: a person is told why", () => {
		const picked = given({ issues: [issue(1, { preset: "odd" })], agents: [of("a")] });
		expect(picked).toMatchObject({
			assign: [],
			escalate: [{ issueId: 1, reason: "Its preset odd is broken: nobody knows the way." }],
		});
	});
});

describe("no more than a stage may have", () => {
	test("one is worked on, so the next one waits", () => {
		const issues = [issue(1, { stage: "SHIP", assignee: id("z") }), issue(2, { stage: "SHIP" })];
		expect(assigned(given({ issues, agents: [of("a")] }))).toEqual([]);
	});

	test("of two that are ready one begins", () => {
		const issues = [issue(1, { stage: "SHIP" }), issue(2, { stage: "SHIP" }), issue(3)];
		expect(assigned(given({ issues, agents: [of("a"), of("b"), of("c")] }))).toEqual(["#1 to a", "#3 to b"]);
	});

	test("none enters while the stage has as many, even if nobody works on them; of two one enters", () => {
		const first = {
			...built,
			stages: built.stages.map((each) => ({ ...each, ...(each.name === "BUILD" && { wipMax: 2 }) })),
		};
		const limited = { ...project, presets: { built: { preset: first } } };
		const waits = issue(1, { stage: "BUILD", waiting: "gate" });
		const agents = [of("a"), of("b"), of("c")];
		const begun = (issues: IssueState[]): string[] => assigned(given({ project: limited, issues, agents }));
		expect(begun([waits, issue(2), issue(3)])).toEqual(["#2 to a"]);
		expect(begun([waits, issue(2, { stage: "BUILD", waiting: "gate" }), issue(3)])).toEqual([]);
		// one that is there already takes no place of another
		expect(begun([issue(1, { stage: "BUILD" }), issue(2, { stage: "BUILD" }), issue(3)])).toEqual([
			"#1 to a",
			"#2 to b",
		]);
	});

	test("and no agents are made for those that would have to wait", () => {
		const issues = [issue(1, { stage: "SHIP" }), issue(2, { stage: "SHIP" })];
		expect(given({ issues }).spawn).toEqual([{ type: "claude" }]);
		expect(given({ issues, agents: [{ ...agent("a"), type: "claude" }] }).spawn).toEqual([]);
	});
});

describe("which agent works on it", () => {
	const thinking = issue(1, { stage: "THINK" });

	test("one with the stage's model, else a fallback", () => {
		const [opus, sonnet, other] = [
			of("o", { model: "opus" }),
			of("s", { model: "sonnet" }),
			of("x", { model: "haiku" }),
		];
		expect(assigned(given({ issues: [thinking], agents: [other, sonnet, opus] }))).toEqual(["#1 to o"]);
		expect(assigned(given({ issues: [thinking], agents: [other, sonnet] }))).toEqual(["#1 to s"]);
	});

	test("a new one, if nobody fits, until the project has as many as it may", () => {
		const other = of("x", { model: "haiku" });
		expect(given({ issues: [thinking], agents: [other] })).toMatchObject({ assign: [], spawn: [{ model: "opus" }] });
		expect(given({ issues: [thinking], agents: [other], project: { ...project, agentsMax: 1 } })).toMatchObject({
			assign: [],
			spawn: [],
		});
		const many = Array.from({ length: 9 }, (_, at) => issue(at + 1));
		expect(given({ issues: many }).spawn).toHaveLength(project.agentsMax);
	});

	test("one that is on its way is waited for", () => {
		expect(given({ issues: [issue(1)], agents: [{ ...agent("a"), type: "claude" }] })).toMatchObject({
			assign: [],
			spawn: [],
		});
	});

	test("never a human agent, which is asked by name only", () => {
		expect(given({ issues: [issue(1)], agents: [of("p", { type: "human" })] })).toMatchObject({
			assign: [],
			spawn: [{}],
		});
	});

	test.each(["shell", "scripted"])(
		"never one of type %s, which would execute the issue, unless the project or the preset names it",
		(type) => {
			const agents = [of("a", { type })];
			const issues = [issue(1)];
			expect(given({ issues, agents })).toMatchObject({ assign: [], spawn: [{ type: "claude" }] });
			expect(given({ issues, agents, subscribed: [type] })).toMatchObject({
				assign: [],
				spawn: [],
				escalate: [{ issueId: 1, code: "AGENT_NOT_FOUND" }],
			});
			expect(assigned(given({ issues, agents, project: { ...project, agentType: type } }))).toEqual(["#1 to a"]);
			const named = { preset: { ...built, agent: { type } } };
			expect(assigned(given({ issues, agents, project: { ...project, presets: { built: named } } }))).toEqual([
				"#1 to a",
			]);
			expect(given({ issues, project: { ...project, presets: { built: named } } }).spawn).toEqual([{ type }]);
		},
	);

	test("where no type is named a person is told, once, with the command that names one; then it goes on by itself", () => {
		const reason =
			"No agent type is named for automatic work in web. Name one with: brood project configure web --type claude";
		const nobody = { subscribed: [], issues: [issue(1)] };
		const told = {
			start: [],
			retry: [],
			assign: [],
			spawn: [],
			escalate: [{ issueId: 1, code: "AGENT_NOT_FOUND", reason }],
			nextAt: null,
		};
		expect(given(nobody)).toEqual(told);
		const waiting = [issue(1, { attention: { reason, code: "AGENT_NOT_FOUND", at: 1 } })];
		expect(given({ ...nobody, issues: waiting })).toEqual({ ...told, escalate: [] });
		expect(given({ issues: waiting })).toMatchObject({ retry: [1], assign: [], spawn: [{ type: "claude" }] });
		expect(given({ ...nobody, issues: waiting, agents: [of("a")] })).toMatchObject({
			retry: [1],
			assign: [{ issueId: 1 }],
		});
		expect(given({ ...nobody, agents: [of("a", { activity: "running" })], free: new Set<AgentId>() })).toEqual({
			...told,
			escalate: [],
		});
	});

	test("as many as there are slots, and no agents are made for more", () => {
		const issues = [issue(1), issue(2), issue(3)];
		const agents = [of("a"), of("b"), of("c")];
		expect(assigned(given({ issues, agents, slots: new Map([["claude", 2]]) }))).toEqual(["#1 to a", "#2 to b"]);
		expect(given({ issues, agents, slots: new Map([["claude", 0]]) })).toMatchObject({
			assign: [],
			spawn: [],
			escalate: [],
		});
		expect(given({ issues, slots: new Map([["claude", 2]]) }).spawn).toHaveLength(2);
		// another type's slots are its own
		expect(assigned(given({ issues, agents, slots: new Map([["codex", 0]]) }))).toHaveLength(3);
	});

	test("nobody twice", () => {
		expect(
			assigned(given({ issues: [issue(1), issue(2)], agents: [of("a")], project: { ...project, agentsMax: 1 } })),
		).toEqual(["#1 to a"]);
	});

	test("only one that is free", () => {
		expect(given({ issues: [issue(1)], agents: [of("a")], free: new Set<AgentId>() }).assign).toEqual([]);
	});
});

describe("policies", () => {
	const todo = [issue(1)];
	const strict = { ...project, policy: "auto-edit" as const };

	test("an agent with the project's policy takes it, another is passed over and stays as it is", () => {
		const [asks, edits] = [of("a", { policy: "ask" }), of("b", { policy: "auto-edit" })];
		expect(given({ project: strict, issues: todo, agents: [asks, edits] }).assign).toEqual([
			{ issueId: 1, agent: edits.id },
		]);
		expect(given({ project: strict, issues: todo, agents: [asks] })).toMatchObject({
			assign: [],
			spawn: [{ type: "claude", policy: "auto-edit" }],
		});
		expect(given({ issues: todo, agents: [asks] }).assign).toHaveLength(1);
	});

	test("the stage's policy counts more than the preset's, and that more than the project's", () => {
		const staged: Preset = {
			...built,
			agent: { policy: "ask" },
			stages: built.stages.map((stage) => (stage.name === "BUILD" ? { ...stage, agent: { policy: "full" } } : stage)),
		};
		const of = (preset: Preset) =>
			given({ project: { ...strict, presets: { built: { preset } } }, issues: todo }).spawn;
		expect(of(staged)).toEqual([{ type: "claude", policy: "full" }]);
		expect(of({ ...built, agent: { policy: "ask" } })).toEqual([{ type: "claude", policy: "ask" }]);
	});

	test("where none fits and no more may be made, a person is told; one that is busy is waited for", () => {
		const full = { ...strict, agentsMax: 1 };
		expect(given({ project: full, issues: todo, agents: [of("a")] }).escalate).toEqual([
			{ issueId: 1, code: "AGENT_NOT_FOUND", reason: expect.stringMatching(/policy auto-edit.*--agents-max 2/) },
		]);
		const fixed = { ...full, written: { agentsMax: 1 } };
		expect(given({ project: fixed, issues: todo, agents: [of("a")] }).escalate).toEqual([
			expect.objectContaining({ reason: expect.stringMatching(/agentsMax: 2 in the config.yaml/) }),
		]);
		// nothing was asked of the agent but that it takes issues, which these types do not
		const shell = { project: { ...project, agentsMax: 1 }, issues: todo, agents: [of("a", { type: "shell" })] };
		expect(given(shell).escalate).toEqual([
			expect.objectContaining({ reason: expect.stringMatching(/^No agent of web may be given issues, and web has 1/) }),
		]);
		const busy = of("b", { policy: "auto-edit" });
		expect(given({ project: full, issues: todo, agents: [busy], free: new Set() }).escalate).toEqual([]);
	});

	test("one that a person talks with is not waited for: a person is told, and what comes next is nothing", () => {
		const full = { ...project, agentsMax: 1 };
		const facts = { project: full, issues: [issue(1)], agents: [of("a")] };
		const [told, ...others] = given({ ...facts, free: new Set(), later: new Set() }).escalate;
		expect([told?.code, others]).toEqual(["AGENT_NOT_FOUND", []]);
		expect(told?.reason).toMatch(/in conversations.* brood agent release web\/a, or allow .*--agents-max 2$/);
		const problems = new Map([[of("a").id, "a.txt is not committed."]]);
		const [dirty] = given({ ...facts, free: new Set(), later: new Set(), problems }).escalate;
		expect(dirty?.reason).toMatch(/files in the way.* web\/a: a\.txt is not committed\. Or allow one more with/);
		const asked = { ...facts, subscribed: ["claude"], now: 0 };
		expect(nextIssue(asked).issue?.number).toBe(1);
		const attention = { reason: told?.reason ?? "", code: "AGENT_NOT_FOUND" as const, at: 1 };
		expect(nextIssue({ ...asked, issues: [issue(1, { attention })] }).issue).toBeNull();
		// when it is free again, the issue goes on by itself
		expect(given({ ...facts, issues: [issue(1, { attention })] })).toMatchObject({
			retry: [1],
			assign: [{ issueId: 1 }],
		});
	});
});
