// The presets that come with Brood. In all of them, work is merged only after a person has approved it.
//
// No line of a template begins with a word that a scripted agent would execute, and the title and body are on
// lines of their own.
import type { Preset, Stage } from "#contract/preset.ts";

const end =
	"When your part is complete, report it with work_complete and a short summary, or leave your commits on the branch. If you need a person, ask.";

const template = (task: string): string =>
	[
		"You work on issue {{number}} of project {{project}}, in stage {{stage}}, on branch {{branch}}.",
		task,
		end,
		"",
		"Title:",
		"{{title}}",
		"",
		"Body:",
		"{{body}}",
	].join("\n");

const review =
	"If it has to go back, report work_complete with `back` and the reasons as the summary; the stage that it goes back to gets them.";

const stages = {
	backlog: { name: "BACKLOG", next: "TODO" },
	contextPack: {
		name: "CONTEXT_PACK",
		prompt: template(
			"Your task: collect what somebody needs to know before changing anything, and put it into the folder `context`.",
		),
	},
	contextReview: {
		name: "CONTEXT_REVIEW",
		back: "CONTEXT_PACK",
		prompt: template(`Your task: check the notes in the folder \`context\` against the code. ${review}`),
	},
	spec: {
		name: "SPEC",
		prompt: template(
			"Your task: describe the change precisely, with its tests, in the folder `specs`. Change no code yet.",
		),
	},
	specReview: {
		name: "SPEC_REVIEW",
		back: "SPEC",
		prompt: template(`Your task: look for gaps and contradictions in the folder \`specs\`. ${review}`),
	},
	implement: { name: "IMPLEMENT", prompt: template("Your task: make the change, with tests, and commit it.") },
	prReview: {
		name: "PR_REVIEW",
		back: "FIXER",
		prompt: template(`Your task: review the commits of this branch. ${review}`),
	},
	fixer: { name: "FIXER", prompt: template("Your task: fix what the review found, and commit it.") },
	testing: {
		name: "TESTING",
		back: "IMPLEMENT",
		prompt: template(`Your task: test the change as its users would. ${review}`),
	},
	docReview: {
		name: "DOC_REVIEW",
		prompt: template("Your task: bring the documentation up to date with the change, and commit it."),
	},
	done: { name: "DONE", final: true },
} as const satisfies Record<string, Stage>;

const lean: Preset = {
	description: "one stage of work and a person's review",
	stages: [
		{ name: "TODO", next: "IN_PROGRESS" },
		{
			name: "IN_PROGRESS",
			next: "IN_REVIEW",
			also: ["TODO"],
			prompt: template("Your task: do what it asks for, with tests, and commit it."),
		},
		{ name: "IN_REVIEW", next: "DONE", back: "IN_PROGRESS", also: ["TODO"], gate: "human" },
		{ ...stages.done, also: ["TODO"] },
	],
};

/** A fix is reviewed again before testing. */
const fullPipeline: Preset = {
	description: "context, specification, implementation, reviews, tests and documentation",
	stages: [
		{ ...stages.backlog },
		{ name: "TODO", next: "CONTEXT_PACK", also: ["BACKLOG"] },
		{ ...stages.contextPack, next: "CONTEXT_REVIEW", also: ["TODO"] },
		{ ...stages.contextReview, next: "SPEC", also: ["IMPLEMENT"] },
		{ ...stages.spec, next: "SPEC_REVIEW" },
		{ ...stages.specReview, next: "IMPLEMENT" },
		{ ...stages.implement, next: "PR_REVIEW" },
		{ ...stages.prReview, next: "PR_HUMAN_REVIEW" },
		{ name: "PR_HUMAN_REVIEW", next: "TESTING", back: "FIXER", gate: "human" },
		{ ...stages.fixer, next: "PR_REVIEW" },
		{ ...stages.testing, next: "DOC_REVIEW" },
		{ ...stages.docReview, next: "MERGE_READY" },
		{ name: "MERGE_READY", next: "DONE", back: "FIXER", gate: "human" },
		{ ...stages.done, also: ["TODO"] },
	],
};

const quickFix: Preset = {
	description: "implementation, an agent's review, a person's review",
	stages: [
		{ name: "TODO", next: "IMPLEMENT" },
		{ ...stages.implement, next: "PR_REVIEW", also: ["TODO"] },
		{ ...stages.prReview, next: "MERGE_READY" },
		{ ...stages.fixer, next: "PR_REVIEW" },
		{ name: "MERGE_READY", next: "DONE", back: "FIXER", gate: "human" },
		{ ...stages.done, also: ["TODO"] },
	],
};

const docsOnly: Preset = {
	description: "documentation and a person's review",
	stages: [
		{ name: "TODO", next: "IMPLEMENT" },
		{
			...stages.implement,
			next: "DOC_REVIEW",
			also: ["TODO"],
			prompt: template("Your task: change the documentation only, and commit it."),
		},
		{
			...stages.docReview,
			next: "MERGE_READY",
			back: "IMPLEMENT",
			prompt: template(`Your task: check the changed pages against the code. ${review}`),
		},
		{ name: "MERGE_READY", next: "DONE", back: "IMPLEMENT", gate: "human" },
		{ ...stages.done, also: ["TODO"] },
	],
};

export const shipped: Readonly<Record<string, Preset>> = {
	lean,
	"full-pipeline": fullPipeline,
	"quick-fix": quickFix,
	"docs-only": docsOnly,
};
