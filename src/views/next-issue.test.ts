import { expect, test } from "vitest";
import { human, ProjectSlug } from "#contract/ids.ts";
import type { IssueState } from "#contract/issue.ts";
import type { Preset } from "#contract/preset.ts";
import { defaultWorkSettings } from "#contract/project.ts";
import { issueChanges } from "#domain/fold/issue.ts";
import { id, live } from "#test/support/given.ts";
import { nextIssueText } from "./next-issue.ts";

const web = ProjectSlug.parse("web");
const lean: Preset = {
	stages: [
		{ name: "TODO", next: "BUILD" },
		{ name: "BUILD", next: "DONE", prompt: "{{body}}", wipMax: 1 },
		{ name: "DONE", final: true },
	],
};
const free: Preset = { stages: lean.stages.map(({ wipMax: _, ...stage }) => stage) };
const project = {
	...defaultWorkSettings,
	...{ slug: web, path: "/srv/web", base: null, url: null, node: null, approved: [], addedAt: 1, removedAt: null },
	auto: true,
	presets: { lean: { preset: lean }, free: { preset: free } },
};
const issue = (number: number, more: Partial<IssueState> = {}): IssueState => ({
	...issueChanges["issue.added"].make({
		...{ kind: "issue.added", agent: null, text: "", id: number, at: 1, actor: human },
		data: {
			...{ project: web, number, title: `Issue ${number}`, priority: "medium", preset: "lean", stage: "TODO" },
			...{ labels: [], dependsOn: [] },
		},
	}),
	...more,
});
const text = (issues: readonly IssueState[], more: Partial<typeof project> = {}, now = 0): string =>
	nextIssueText({ project: { ...project, ...more }, issues, agents: [], subscribed: ["claude"], now });

test("automatic work names the issue that it takes next, not one whose stage is full or whose time has not come", () => {
	const busy = issue(1, { stage: "BUILD", assignee: id("z") });
	expect(text([issue(2, { priority: "high" }), issue(1)])).toBe("next: #2 Issue 2");
	expect(text([issue(1)], { auto: false })).toBe("would start with #1 Issue 1");
	expect(text([busy, issue(2, { priority: "high" }), issue(3, { preset: "free" })])).toBe("next: #3 Issue 3");
	expect(text([busy, issue(2)])).toBe("no issue is ready: BUILD is full");
	const failed = issue(2, { stage: "BUILD", notBefore: 5000 });
	expect(text([failed])).toBe("no issue is ready");
	expect(text([failed], {}, 5000)).toBe("next: #2 Issue 2");
	expect(text([], { auto: false })).toBe("");
});

test("automatic work says why nobody takes an issue that no agent fits and none may be made for", () => {
	const other = { ...live("a"), project: web, type: "shell" };
	const facts = { issues: [issue(1)], agents: [other], subscribed: ["claude"], now: 0 };
	const reason =
		"No agent of web may be given issues, and web has 1 of at most 1 agents. " +
		"Allow one more with: brood project auto on web --agents-max 2";
	const full = { ...project, agentsMax: 1 };
	expect(nextIssueText({ ...facts, project: full })).toBe(reason);
	expect(nextIssueText({ ...facts, project: { ...full, auto: false } })).toBe(reason);
	// also once the issue itself says so, and although the stage of another one is full
	const told = issue(3, { attention: { reason, code: "AGENT_NOT_FOUND", at: 1 }, preset: "free" });
	const busy = issue(1, { stage: "BUILD", assignee: id("z") });
	expect(nextIssueText({ ...facts, issues: [busy, issue(2), told], project: full })).toBe(reason);
	// of several, what stands in the way of the first
	const typed: Preset = { stages: free.stages.map((stage) => ({ ...stage, agent: { type: "codex" } })) };
	const presets = { ...project.presets, typed: { preset: typed } };
	const both = [issue(1), issue(2, { priority: "high", preset: "typed" })];
	expect(nextIssueText({ ...facts, issues: both, project: { ...full, presets } })).toMatch(
		/^No agent of web fits type codex, and web has 1 of at most 1 agents\./,
	);
	expect(nextIssueText({ ...facts, project: { ...project, agentsMax: 2 } })).toBe("next: #1 Issue 1");
});

test("automatic work says when nobody has said of which type its agents are", () => {
	const facts = { project, issues: [issue(1)], agents: [], now: 0 };
	const untyped =
		"No agent type is named for automatic work in web. Name one with: brood project configure web --type claude";
	expect(nextIssueText({ ...facts, subscribed: [] })).toBe(untyped);
	// these execute their prompt: they are never meant unless they are named
	expect(nextIssueText({ ...facts, subscribed: ["shell", "human"] })).toBe(untyped);
	expect(nextIssueText({ ...facts, subscribed: ["shell", "codex"] })).toBe("next: #1 Issue 1");
	const typed: Preset = { stages: free.stages.map((stage) => ({ ...stage, agent: { type: "shell" } })) };
	const presets = { ...project.presets, lean: { preset: typed } };
	expect(nextIssueText({ ...facts, project: { ...project, presets }, subscribed: [] })).toBe("next: #1 Issue 1");
});
