// Tools for the agent's own work: its files, its issue, and what was said in its project.
import { z } from "zod";
import { counted } from "#contract/counted.ts";
import { StageName } from "#contract/preset.ts";
import { quote } from "#contract/quote.ts";
import type { AnswerOf } from "#contract/routes.ts";
import { agentName, reply, type ToolAnswer, tool } from "./tool.ts";

export const workTools = {
	commit: tool({
		description: "Commit your work in your own workspace, in your name.",
		input: z.strictObject({
			message: z.string().min(1).max(100_000),
			paths: z.array(z.string()).max(10_000).optional().describe("only these; everything that changed if absent"),
		}),
		use: async ({ self, call }, body) =>
			reply(await call("commit", { params: { agent: self }, body }), ({ commit, branch, files, omitted }) => ({
				text: [
					`Committed ${commit} on ${branch}.`,
					...files.map((file) => `${file.status} ${file.path}`),
					...omitted.map((file) => `left out: ${file.path} (${file.reason})`),
				].join("\n"),
				data: { commit, branch, files, omitted },
			})),
	}),
	diff: tool({
		description: "See what differs in your workspace.",
		input: z.strictObject({ against: z.string().default("base").describe("base, index, or an agent below you") }),
		use: async ({ self, call }, query) => reply(await call("diff", { params: { agent: self }, query }), differing),
	}),
	work_complete: tool({
		description:
			"Report that the work on your issue is complete for this stage, or that it has to go back to the stage that its preset names.",
		input: z.strictObject({
			summary: z.string().max(100_000),
			back: z.boolean().default(false).describe("it has to go back"),
		}),
		use: async ({ call }, body) =>
			reply(
				await call("workComplete", { params: ownIssue, body }),
				stageAfter("Reported. It takes effect when your turn ends."),
			),
	}),
	comment: tool({
		description: "Say something about your issue, for everybody who looks at it.",
		input: z.strictObject({ text: z.string().min(1).max(100_000) }),
		use: async ({ call }, body) =>
			reply(await call("issueComment", { params: ownIssue, body }), stageAfter("Comment added.")),
	}),
	stage_message: tool({
		description: "Leave a message for the agent of a later stage of your issue. It is delivered once.",
		input: z.strictObject({ stage: StageName, text: z.string().min(1).max(100_000) }),
		use: async ({ call }, body) =>
			reply(await call("issueMessage", { params: ownIssue, body }), stageAfter("Message left.")),
	}),
	search: tool({
		description: "Find what was said in your project: the items that have all of these words, newest first.",
		input: z.strictObject({
			text: z.string().min(1).max(1000).describe("the words; parse* stands for all that begin with it"),
			agent: agentName.optional(),
			limit: z.int().positive().max(100).default(20),
		}),
		use: async ({ call }, query) => reply(await call("search", { query }), searched),
	}),
};

/** The issue that the agent works on. */
const ownIssue = { issue: "mine" };

const stageAfter =
	(done: string) =>
	({ project, number, stage }: Pick<AnswerOf<"issue">, "project" | "number" | "stage">): ToolAnswer => ({
		text: `${done} ${project}#${number} is in stage ${stage}.`,
		data: { project, number, stage },
	});

const differing = ({ against, files, total, patch, truncated, omitted }: AnswerOf<"diff">): ToolAnswer => ({
	text: [
		files.length === 0 && omitted.length === 0 ? `Nothing differs from ${against}.` : shortened(patch),
		...(total.files > filesMax ? [`and ${counted(total.files - filesMax, "more file")} changed`] : []),
		...omitted.map((file) => `not shown: ${file.path} (${file.reason})`),
	].join("\n"),
	data: {
		against,
		files: files.slice(0, filesMax),
		total,
		omitted,
		truncated: truncated || patch.length > patchLengthMax,
	},
});

/** that are listed for a model */
const filesMax = 1000;
const patchLengthMax = 100_000;
const shortened = (patch: string): string =>
	patch.length <= patchLengthMax ? patch : `${patch.slice(0, patchLengthMax)}\n[truncated: the rest is too long]`;

const searched = ({ found, complete }: AnswerOf<"search">): ToolAnswer => ({
	text:
		[
			...found.map(({ id, handle, kind, snippet }) => quote(`item ${id}, ${kind} of ${handle}`, snippet)),
			...(complete ? [] : ["(the newest items are not searched yet)"]),
		].join("\n") || "Nothing was found.",
	data: {
		found: found.map(({ id, agent, handle, kind, at, snippet }) => ({ id, agent, handle, kind, at, snippet })),
		complete,
	},
});
