// The commands of issues: first those of people and agents, then those that only the daemon sends.
import { z } from "zod";
import { command } from "./define.ts";
import { AgentId, EventId, ProjectSlug } from "./ids.ts";
import { DocumentName, DocumentType, IssueLabel, IssueNumber, IssuePriority, Title } from "./issue.ts";
import { PresetName, StageName } from "./preset.ts";
import { RefusalSchema } from "./refusal-schema.ts";
import { IssueReason, Text } from "./text.ts";
import { MergeStrategy } from "./workspace.ts";

const of = { issueId: EventId };
/** the issue's folder, so that its prompt can name it */
const Folder = z.string().max(4096).optional();
const Commit = z.string().regex(/^[0-9a-f]{7,64}$/, "a commit is named by its hash");
const Labels = z.array(IssueLabel).max(32);

export const IssueAdd = command("issue.add", {
	project: ProjectSlug,
	title: Title,
	body: Text.default(""),
	labels: Labels.default([]),
	priority: IssuePriority.default("medium"),
	dependsOn: z.array(IssueNumber).max(100).default([]),
	preset: PresetName.optional(),
});
export type IssueAdd = z.infer<typeof IssueAdd>;
export const IssueRequest = IssueAdd.omit({ type: true, project: true });

export const IssueEdit = command("issue.edit", {
	...of,
	title: Title.optional(),
	body: Text.optional(),
	labels: Labels.optional(),
	priority: IssuePriority.optional(),
	/** only before it has been started */
	preset: PresetName.optional(),
});
export type IssueEdit = z.infer<typeof IssueEdit>;
export const IssueChange = IssueEdit.omit({ type: true, issueId: true });

/** With `now` it is refused if its turn cannot start at once; otherwise its prompt waits for a slot. */
export const IssueAssign = command("issue.assign", {
	...of,
	agent: AgentId,
	folder: Folder,
	now: z.boolean().default(false),
});
export type IssueAssign = z.infer<typeof IssueAssign>;
export const IssueMove = command("issue.move", { ...of, stage: StageName });
export type IssueMove = z.infer<typeof IssueMove>;
export const IssueDepend = command("issue.depend", { ...of, on: IssueNumber });
export type IssueDepend = z.infer<typeof IssueDepend>;
export const IssueComment = command("issue.comment", { ...of, text: Text.min(1).max(100_000) });
export type IssueComment = z.infer<typeof IssueComment>;
export const IssueDocument = command("issue.document", {
	...of,
	name: DocumentName,
	/** like the version before if absent */
	docType: DocumentType.optional(),
	text: Text.min(1),
});
export type IssueDocument = z.infer<typeof IssueDocument>;
export const IssueMessage = command("issue.message", { ...of, stage: StageName, text: Text.min(1).max(100_000) });
export type IssueMessage = z.infer<typeof IssueMessage>;
/** `commit` is the reviewed one; that of the last run if absent. */
export const IssueApprove = command("issue.approve", {
	...of,
	commit: Commit.optional(),
	/** also if there is nothing to merge */
	empty: z.boolean().optional(),
	/** how it is merged; as the project is set if absent */
	strategy: MergeStrategy.optional(),
});
export type IssueApprove = z.infer<typeof IssueApprove>;
export const IssueReject = command("issue.reject", { ...of, reason: IssueReason.min(1), folder: Folder });
export type IssueReject = z.infer<typeof IssueReject>;
/** It needs a person. With AGENT_NOT_FOUND, automatic work continues once there is an agent for it. */
export const IssueEscalate = command("issue.escalate", {
	...of,
	reason: IssueReason.min(1),
	code: z.literal("AGENT_NOT_FOUND").optional(),
});
export type IssueEscalate = z.infer<typeof IssueEscalate>;
export const IssueRetry = command("issue.retry", { ...of, folder: Folder });
export type IssueRetry = z.infer<typeof IssueRetry>;
export const IssueStart = command("issue.start", { ...of });
export const IssueUnassign = command("issue.unassign", { ...of });
export const IssueUndepend = command("issue.undepend", { ...of, on: IssueNumber });
export const IssueDelete = command("issue.delete", { ...of });
/**
 * From the agent that works on it: the work of this stage is complete, or has to go back to the one that its preset
 * names.
 */
export const IssueReport = command("issue.report", {
	...of,
	summary: Text.max(100_000),
	back: z.boolean().default(false),
});
export type IssueReport = z.infer<typeof IssueReport>;

/** Its workspace is on the issue's branch. */
export const IssuePrepare = command("issue.prepare", {
	...{ ...of, branch: z.string().max(300).nullable().default(null), base: z.string().max(300).optional() },
});
export type IssuePrepare = z.infer<typeof IssuePrepare>;
/** The released agent's workspace is on its home branch again, or could not get there. */
export const IssueReturn = command("issue.return", { ...of, problem: RefusalSchema.optional() });
export type IssueReturn = z.infer<typeof IssueReturn>;
/** Its agent ended, or its workspace could not be prepared. Without a reason: check whether that is so. */
export const IssueLoseAgent = command("issue.loseAgent", { ...of, reason: IssueReason.optional() });
export type IssueLoseAgent = z.infer<typeof IssueLoseAgent>;
export const RunFinish = command("run.finish", {
	run: EventId,
	/** how many commits its branch has that base lacks, and its tip */
	ahead: z.int().nonnegative(),
	commit: z.string().max(100).nullable(),
	/** why its work could not be settled */
	problem: IssueReason.optional(),
});
export type RunFinish = z.infer<typeof RunFinish>;
export const IssueGate = command("issue.gate", { ...of, exit: z.int(), output: Text.max(100_000) });
export type IssueGate = z.infer<typeof IssueGate>;
export const IssueMerge = command("issue.merge", {
	...of,
	commit: z.string().max(100).nullable(),
	/** what became of the push, and how base stands against the remote */
	note: z.string().max(4000).optional(),
	problem: RefusalSchema.optional(),
});
export type IssueMerge = z.infer<typeof IssueMerge>;

export const issueCommands = [
	IssueAdd,
	IssueEdit,
	IssueStart,
	IssueAssign,
	IssueUnassign,
	IssueMove,
	IssueDepend,
	IssueUndepend,
	IssueComment,
	IssueDocument,
	IssueMessage,
	IssueApprove,
	IssueReject,
	IssueEscalate,
	IssueRetry,
	IssueDelete,
	IssueReport,
	IssuePrepare,
	IssueReturn,
	IssueLoseAgent,
	RunFinish,
	IssueGate,
	IssueMerge,
] as const;
