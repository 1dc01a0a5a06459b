import { expect, test } from "vitest";
import { human, ProjectSlug } from "#contract/ids.ts";
import type { Issue } from "#contract/issue-wire.ts";
import { defaultWorkSettings } from "#contract/project.ts";
import { issueChanges } from "#domain/fold/issue.ts";
import { issueView } from "./issue.ts";
import { presetBoards } from "./preset-boards.ts";

const slug = ProjectSlug.parse("web");
const project = {
	...{ ...defaultWorkSettings, slug, path: "/srv/web", base: null, url: null, node: null, approved: [] },
	...{ addedAt: 1, removedAt: null, preset: "lean" },
};

function issue(number: number, preset: string, stage: string, doneAt: number | null = null): Issue {
	const about = { title: "x", priority: "medium" as const, preset, labels: [], dependsOn: [] };
	const data = { project: slug, number, stage, ...about };
	const event = { kind: "issue.added" as const, agent: null, text: "", data, id: number, at: 1, actor: human };
	const row = { ...issueChanges["issue.added"].make(event), doneAt };
	return issueView(row, { project, all: [], runs: [], handles: new Map() });
}

const shown = (...issues: Issue[]) =>
	presetBoards(issues, project).map(({ preset, columns }) => [
		preset,
		...columns.map((column) => `${column.stage} ${column.issues.map(({ number }) => number).join()}/${column.inStage}`),
	]);

test("each preset in use has columns of its own, the project's first", () => {
	expect(shown(issue(1, "quick-fix", "TODO"), issue(2, "lean", "TODO"), issue(3, "lean", "GONE"))).toEqual([
		["lean", "TODO 2/2", "IN_PROGRESS /0", "IN_REVIEW /0", "GONE 3/1", "DONE /0"],
		["quick-fix", "TODO 1/2", "IMPLEMENT /0", "PR_REVIEW /0", "FIXER /0", "MERGE_READY /0", "DONE /0"],
	]);
});

test("a preset that no issue uses has no columns, and one whose issues are all done has only the last", () => {
	expect(shown(issue(1, "quick-fix", "TODO")).map(([preset]) => preset)).toEqual(["quick-fix"]);
	expect(shown().map(([preset]) => preset)).toEqual(["lean"]);
	expect(shown(issue(1, "quick-fix", "DONE", 5), issue(2, "lean", "TODO"))[1]).toEqual(["quick-fix", "DONE 1/1"]);
});
