import { expect, test } from "vitest";
import { human, ProjectSlug } from "#contract/ids.ts";
import type { IssueState } from "#contract/issue.ts";
import { defaultWorkSettings } from "#contract/project.ts";
import { issueChanges } from "#domain/fold/issue.ts";
import { id } from "#test/support/given.ts";
import { whyNoMove, whyNoStart } from "./issue-moves.ts";

const slug = ProjectSlug.parse("web");
const stages = [
	{ name: "TODO", next: "BUILD" },
	{ name: "BUILD", next: "DONE", prompt: "go", wipMax: 1, also: ["TODO"] },
	{ name: "DONE", final: true as const },
];
const project = {
	...{ ...defaultWorkSettings, slug, path: "/srv/web", base: null, url: null, node: null, approved: [] },
	...{ addedAt: 1, removedAt: null, presets: { lean: { preset: { stages } } } },
};

function issue(number: number, more: Partial<IssueState> = {}): IssueState {
	const about = { title: "x", priority: "medium" as const, preset: "lean", labels: [], dependsOn: [] };
	const data = { project: slug, number, stage: "TODO", ...about };
	const event = { kind: "issue.added" as const, agent: null, text: "", data, id: number, at: 1, actor: human };
	return { ...issueChanges["issue.added"].make(event), ...more };
}

/** What is said of the first of these issues. */
const start = (...all: [IssueState, ...IssueState[]]): string | null => whyNoStart({ issue: all[0], project, all });
const move = (to: string, ...all: [IssueState, ...IssueState[]]): string | null =>
	whyNoMove({ issue: all[0], project, all }, to);

test("work on an issue begins only where nothing blocks it and its stage has room, also if it is moved there", () => {
	const cases: [IssueState[], string | null][] = [
		[[], null],
		[[issue(3)], "web#2 is blocked by #3."],
		[[issue(3, { doneAt: 1 })], null],
		[[issue(4, { stage: "BUILD" })], "BUILD is full: it has 1 issue, and its limit is 1."],
	];
	const first = issue(2, { dependsOn: [3] });
	expect(cases.map(([others]) => start(first, ...others))).toEqual(cases.map(([, why]) => why));
	expect(cases.map(([others]) => move("BUILD", first, ...others))).toEqual(cases.map(([, why]) => why));
	expect(start(issue(2, { stage: "BUILD" }))).toBe("web#2 is in BUILD: it has been started.");
});

test("an issue is moved back by hand although it is blocked, not while an agent works on it", () => {
	const blocked = issue(2, { stage: "BUILD", dependsOn: [3] });
	expect(move("TODO", blocked, issue(3))).toBe(null);
	expect(move("TODO", { ...blocked, assignee: id("a") }, issue(3))).toBe("An agent works on web#2: unassign it first.");
	expect(move("DONE", blocked)).toBe("web#2 is DONE only once it has been approved.");
});
