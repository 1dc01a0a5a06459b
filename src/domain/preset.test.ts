import { describe, expect, test } from "vitest";
import { defaultWorkSettings } from "#contract/project.ts";
import { firstWork, isBeforeStart, loadPreset, movesFrom, presetNamed, problemsOf, stageOf } from "./preset.ts";
import { shipped } from "./presets.ts";

const instructions = /^(say|run|write|sleep|ask|fork|send|wait|commit|limit|fail|crash|orphan|flood|work_complete)\b/;
const names = Object.keys(shipped);

describe.each(names)("the shipped preset %s", (name) => {
	const preset = shipped[name] ?? { stages: [] };

	test("is right: every stage is reached and has a way out", () => expect(problemsOf(preset)).toEqual([]));

	test("is done only through a person's approve", () => {
		const before = preset.stages.filter(({ next }) => next !== undefined && stageOf(preset, next)?.final === true);
		expect(before.map(({ gate }) => gate)).toEqual(before.map(() => "human"));
		expect(before.length).toBeGreaterThan(0);
		expect(preset.stages.flatMap((stage) => movesFrom(preset, stage.name))).not.toContain("DONE");
	});

	test("has templates that no scripted agent takes for instructions, with title and body on lines of their own", () => {
		const templates = preset.stages.flatMap(({ prompt }) => prompt ?? []);
		expect(templates.length).toBeGreaterThan(0);
		for (const template of templates) {
			const lines = template.split("\n");
			expect(lines.filter((line) => instructions.test(line))).toEqual([]);
			expect(lines).toEqual(expect.arrayContaining(["{{title}}", "{{body}}"]));
		}
	});
});

test("a fix is reviewed again, in every preset that has a fixer", () => {
	const fixers = names.flatMap((name) => stageOf(shipped[name] ?? { stages: [] }, "FIXER") ?? []);
	expect(fixers.map(({ next }) => next)).toEqual(["PR_REVIEW", "PR_REVIEW"]);
});

test("work begins in the first stage that has something to do", () => {
	const full = shipped["full-pipeline"] ?? { stages: [] };
	expect(["BACKLOG", "TODO", "CONTEXT_PACK"].map((name) => isBeforeStart(full, name))).toEqual([true, true, false]);
	expect(firstWork(full)?.name).toBe("CONTEXT_PACK");
});

const todo = { name: "TODO", next: "WORK" };
const work = { name: "WORK", next: "DONE", prompt: "{{title}}" };
const done = { name: "DONE", final: true as const };

describe("a preset is broken", () => {
	test.each([
		["without stages", { stages: [] }, /stages/],
		["with a field that nobody knows", { stages: [todo, work, done], sudo: true }, /sudo/],
		["with a stage that is not in capitals", { stages: [{ name: "todo" }, done] }, /capitals/],
		["with two stages of one name", { stages: [todo, work, work, done] }, /two stages WORK/],
		["with a way to nowhere", { stages: [{ ...todo, next: "GONE" }, work, done] }, /TODO leads to GONE/],
		[
			"with a stage that is never reached",
			{ stages: [todo, work, done, { name: "LOST", next: "DONE", gate: "human" }] },
			/LOST is reached from nowhere/,
		],
		[
			"with a stage without a way out",
			{ stages: [todo, { name: "WORK", next: "TODO", prompt: "x", also: ["DONE"] }, done] },
			/no way out/,
		],
		["with a final stage that works", { stages: [todo, work, { ...done, prompt: "x" }] }, /DONE is final/],
		["with an unknown variable", { stages: [todo, { ...work, prompt: "{{secret}}" }, done] }, /\{\{secret\}\}/],
		["with a first stage that works", { stages: [{ ...todo, prompt: "x" }, work, done] }, /where issues begin/],
		[
			"with a stage that nobody moves on",
			{
				stages: [todo, work, { name: "IDLE", next: "DONE" }, done].map((stage) =>
					stage === work ? { ...work, next: "IDLE" } : stage,
				),
			},
			/nobody would ever/,
		],
		[
			"with a stage before the review whose prompt was forgotten",
			{
				stages: [
					{ ...todo, next: "BUILD" },
					{ name: "BUILD", next: "REVIEW" },
					{ name: "REVIEW", next: "DONE", back: "BUILD", gate: "human" },
					done,
				],
			},
			/BUILD has no prompt and no gate: an issue would reach REVIEW without any work/,
		],
	])("%s", (_, written, reason) => expect(loadPreset(written)).toEqual({ broken: expect.stringMatching(reason) }));

	test("and one that is right is not: the control", () =>
		expect(loadPreset({ stages: [todo, work, done] })).toEqual({ preset: { stages: [todo, work, done] } }));
});

test("the project's own preset comes before the shipped one, also when it is broken; nothing is guessed", () => {
	const own = { ...defaultWorkSettings, presets: { lean: { broken: "it is odd" } } };
	expect(presetNamed(own, "lean")).toEqual({ broken: "it is odd" });
	expect(presetNamed(defaultWorkSettings, "lean")).toEqual({ preset: shipped["lean"] });
	expect(presetNamed(defaultWorkSettings, "nope")).toEqual({ broken: "there is no preset nope" });
});
