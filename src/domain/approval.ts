// Approvals: asked by an agent's process, answered once, by a person, a permit or the agent's policy.

import type { AgentState } from "#contract/agent.ts";
import { getsDenialReasons } from "#contract/agent-type.ts";
import {
	type ApprovalAnswer,
	type ApprovalAsk,
	type ApprovalOption,
	type ApprovalQuestion,
	type ApprovalState,
	broodTool,
} from "#contract/approval.ts";
import type { NewEvent } from "#contract/event.ts";
import { dataOf } from "#contract/event-data.ts";
import { quote } from "#contract/quote.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { coversCommand, prefixFor } from "./command-prefix.ts";
import { because, type Decision } from "./decision.ts";
import { nextPosition, type QueueFacts } from "./prompt.ts";
import { refusedIfNotOpen } from "./turn-end.ts";

/** Tools that `auto-edit` allows if all their files are inside the workspace. */
const fileTools: readonly string[] = ["read", "search", "edit", "move"];

export function decideAsk(agent: AgentState, { turn, question }: ApprovalAsk): Decision {
	const refusal = refusedIfNotOpen(agent, turn);
	if (refusal) return refusal;
	const answer = automaticAnswer(agent, question);
	const option = answer === null ? undefined : optionFor(question.options, answer.allowed, false);
	// it cannot be allowed if the program offers no option for that
	const isAnswered = answer !== null && (option !== undefined || !answer.allowed);
	return [
		{
			kind: "approval.asked",
			agent: agent.id,
			data: { ...question, turn, ...(isAnswered && { answer: { option: option?.id ?? null, ...answer } }) },
		},
	];
}

/** Beyond a number of pending approvals, further ones are refused. */
export function withinLimit(
	agent: AgentState,
	asked: Decision,
	{ pending, pendingMax }: { pending: number; pendingMax: number },
): Decision {
	if (isRefusal(asked) || pending < pendingMax || !asked.some(isPending)) return asked;
	return refuse("APPROVAL_LIMIT", `${agent.handle} has ${pending} pending approvals, which is the limit.`, {
		details: { agent: agent.id, limit: pendingMax, limitName: "approvalsPendingMax" },
		suggestions: ["brood approval list"],
	});
}

const isPending = (event: NewEvent): boolean => {
	const asked = dataOf(event, "approval.asked");
	return asked !== undefined && asked.answer === undefined;
};

/** The tool of a question about the repository, which no agent's program asked. */
export const trustTool = "trust";

/** The answer of a permit or, after that, of the policy; null if a person has to answer. */
function automaticAnswer(
	{ policy, permits }: AgentState,
	{ tool, title, inside, digest, command }: ApprovalQuestion,
): { allowed: boolean; why: string } | null {
	// whether a repository may run code depends on its content, not on an agent's policy
	if (tool === trustTool) return null;
	const ofTool = permits.filter((each) => each.tool === tool);
	const permit = ofTool.findLast((each) => each.prefix === undefined && each.title === title && each.digest === digest);
	if (permit !== undefined)
		return { allowed: permit.allow, why: `${permit.allow ? "allowed" : "denied"} for good before` };
	const prefix = ofTool.findLast((each) => coversCommand(each, command))?.prefix;
	if (prefix !== undefined) return { allowed: true, why: `allowed for good before: ${prefix.join(" ")} *` };
	if (tool === broodTool) return { allowed: true, why: "a tool of Brood" };
	if (policy === "full") return { allowed: true, why: "policy full" };
	return policy === "auto-edit" && (tool === "think" || (fileTools.includes(tool) && inside))
		? { allowed: true, why: "policy auto-edit" }
		: null;
}

export function decideAnswer(
	agent: AgentState,
	{ approval: id, allow, always, prefix: typed, reason }: ApprovalAnswer,
	approval: ApprovalState | undefined,
	queue: Pick<QueueFacts, "last" | "lastFront">,
): Decision {
	const details = { agent: agent.id, approval: id };
	const suggestions = ["brood approval list"];
	if (approval === undefined || approval.agent !== agent.id)
		return refuse("NOT_FOUND", `${agent.handle} has no approval ${id}.`, { details, suggestions });
	if (approval.state !== "pending") {
		const how =
			approval.state === "cancelled"
				? "was cancelled: its turn is over, or it asks for something else now"
				: `was ${approval.state} by ${approval.answeredBy} before`;
		return refuse("CONFLICT", `Approval ${id} ${how}.`, {
			details: { ...details, state: approval.state },
			suggestions,
		});
	}
	const prefix = typed === undefined ? null : prefixPermit(approval, typed, allow && always);
	if (prefix !== null && isRefusal(prefix)) return prefix;
	// what the program itself would stop asking may be more than the prefix
	const option = optionFor(approval.options, allow, always && prefix === null)?.id ?? null;
	const { tool, title, digest } = approval;
	const answered: NewEvent = {
		kind: "approval.answered",
		agent: agent.id,
		data: {
			...{ approval: id, allowed: allow, option },
			...(always && { permit: { tool, title, digest, ...prefix, allow } }),
			...because(reason),
		},
	};
	// ACP has no field for a reason; without one, the model only tries the same in another way
	const needsPrompt = !allow && reason !== "" && !getsDenialReasons(agent.type) && tool !== trustTool;
	return needsPrompt ? [answered, denialPrompt(agent, approval, reason, nextPosition(true, queue))] : [answered];
}

/** The part of a permit that a prefix adds; a refusal if it does not fit what was asked. */
function prefixPermit(
	approval: ApprovalState,
	typed: string,
	isStanding: boolean,
): { prefix: string[]; folder: string | null } | Refusal {
	const { id, command } = approval;
	const words = isStanding ? prefixFor(approval, typed) : "A prefix belongs to allowing something always.";
	return typeof words === "string"
		? refuse("VALIDATION_ERROR", words, { details: { approval: id }, suggestions: [`brood approval show ${id}`] })
		: { prefix: [...words], folder: command?.folder ?? null };
}

const denialPrompt = ({ id }: AgentState, { title }: ApprovalState, reason: string, position: number): NewEvent => ({
	kind: "prompt.queued",
	agent: id,
	text: `${quote("you asked for this, and it was denied", title)}\nThe reason: ${reason}`,
	data: { position, source: "queue" },
});

/** The agent asks for something else now. An answer that was already given stands. */
export function decideWithdraw(agent: AgentState, approval: ApprovalState | undefined): Decision {
	return approval?.agent === agent.id && approval.state === "pending"
		? [{ kind: "approval.cancelled", agent: agent.id, data: { approvals: [approval.id] } }]
		: [];
}

/** The option for `always` or once; the other of the two if the agent does not offer it. */
function optionFor(options: readonly ApprovalOption[], allow: boolean, always: boolean): ApprovalOption | undefined {
	const kinds = allow ? (["allow_once", "allow_always"] as const) : (["reject_once", "reject_always"] as const);
	const [first, second] = always ? kinds.toReversed() : kinds;
	return options.find(({ kind }) => kind === first) ?? options.find(({ kind }) => kind === second);
}
