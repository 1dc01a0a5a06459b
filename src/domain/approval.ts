// Approvals: asked by an agent's process, answered once, by a person or by the agent's policy.
import type { AgentState } from "#contract/agent.ts";
import { getsDenialReasons } from "#contract/agent-type.ts";
import type {
	ApprovalAnswer,
	ApprovalAsk,
	ApprovalOption,
	ApprovalQuestion,
	ApprovalState,
} from "#contract/approval.ts";
import type { NewEvent } from "#contract/event.ts";
import { quote } from "#contract/quote.ts";
import { isRefusal, refuse } from "#contract/refusal.ts";
import { because, type Decision } from "./decision.ts";
import { nextPosition, type QueueFacts } from "./prompt.ts";
import { closed } from "./turn-end.ts";

/**
 * Tools that only look at files, or change them: what `auto-edit` lets pass, if all that they name is inside the
 * workspace.
 */
const edits: readonly string[] = ["read", "search", "edit", "move"];

export function decideAsk(agent: AgentState, { turn, question }: ApprovalAsk): Decision {
	const refusal = closed(agent, turn);
	if (refusal) return refusal;
	const answer = settledBy(agent, question);
	// without a way to say yes there is nothing to settle
	const option = answer === null ? undefined : chosen(question.options, answer.allowed, false);
	const settled = answer !== null && (option !== undefined || !answer.allowed);
	return [
		{
			kind: "approval.asked",
			agent: agent.id,
			data: { ...question, turn, ...(settled && { answer: { option: option?.id ?? null, ...answer } }) },
		},
	];
}

/**
 * Nobody can look through thousands of questions: beyond a number, further ones are refused until some are answered.
 */
export function withinLimit(
	agent: AgentState,
	asked: Decision,
	{ open, openMax }: { open: number; openMax: number },
): Decision {
	if (isRefusal(asked) || open < openMax || !asked.some(isOpen)) return asked;
	return refuse("QUEUE_FULL", `${agent.handle} has ${open} open approvals, which is the limit.`, {
		details: { agent: agent.id, limit: openMax, limitName: "approvalsOpenMax" },
		suggestions: ["brood approval list"],
	});
}

const isOpen = (fact: NewEvent): boolean =>
	fact.kind === "approval.asked" && "data" in fact && Reflect.get(Object(fact.data), "answer") === undefined;

/** What is asked about the repository and not by an agent's program. */
export const trustTool = "trust";

/** The answer that nobody has to be asked for, and why; or null. What was said for good counts more than the policy. */
function settledBy(
	{ policy, permits }: AgentState,
	{ tool, title, inside, digest }: ApprovalQuestion,
): { allowed: boolean; why: string } | null {
	// whether a repository may run code is a matter of its content, and no policy of an agent
	if (tool === trustTool) return null;
	const permit = permits.findLast((each) => each.tool === tool && each.title === title && each.digest === digest);
	if (permit !== undefined)
		return { allowed: permit.allow, why: `${permit.allow ? "allowed" : "denied"} for good before` };
	if (policy === "full") return { allowed: true, why: "policy full" };
	return policy === "auto-edit" && (tool === "think" || (edits.includes(tool) && inside))
		? { allowed: true, why: "policy auto-edit" }
		: null;
}

export function decideAnswer(
	agent: AgentState,
	{ approval: id, allow, always, reason }: ApprovalAnswer,
	approval: ApprovalState | undefined,
	queue: Pick<QueueFacts, "last" | "lastFront">,
): Decision {
	const details = { agent: agent.id, approval: id };
	if (approval === undefined || approval.agent !== agent.id)
		return refuse("NOT_FOUND", `${agent.handle} asked nothing with the number ${id}.`, {
			details,
			suggestions: ["brood approval list"],
		});
	if (approval.state !== "pending") {
		const how =
			approval.state === "cancelled"
				? "was cancelled: its turn is over, or it asks for something else now"
				: `was ${approval.state} by ${approval.answeredBy} before`;
		return refuse("CONFLICT", `Approval ${id} ${how}.`, {
			details: { ...details, state: approval.state },
			suggestions: ["brood approval list"],
		});
	}
	const option = chosen(approval.options, allow, always)?.id ?? null;
	const permit = always
		? { permit: { tool: approval.tool, title: approval.title, digest: approval.digest, allow } }
		: {};
	const answered: NewEvent = {
		kind: "approval.answered",
		agent: agent.id,
		data: { approval: id, allowed: allow, option, ...permit, ...because(reason) },
	};
	// the protocol has no place for a reason, and what was denied without one is only tried in another way
	const untold = !allow && reason !== "" && !getsDenialReasons(agent.type) && approval.tool !== trustTool;
	return untold ? [answered, told(agent, approval, reason, nextPosition(true, queue))] : [answered];
}

const told = ({ id }: AgentState, { title }: ApprovalState, reason: string, position: number): NewEvent => ({
	kind: "prompt.queued",
	agent: id,
	text: `${quote("you asked for this, and it was denied", title)}\nThe reason: ${reason}`,
	data: { position, source: "queue" },
});

/** It asks for something else now. Nobody can have answered what it asked before: then that answer stands. */
export function decideWithdraw(agent: AgentState, approval: ApprovalState | undefined): Decision {
	return approval?.agent === agent.id && approval.state === "pending"
		? [{ kind: "approval.cancelled", agent: agent.id, data: { approvals: [approval.id] } }]
		: [];
}

/** The option that says it, for once or for good; the other of the two if the agent does not offer it. */
function chosen(options: readonly ApprovalOption[], allow: boolean, always: boolean): ApprovalOption | undefined {
	const kinds = allow ? (["allow_once", "allow_always"] as const) : (["reject_once", "reject_always"] as const);
	const [first, second] = always ? kinds.toReversed() : kinds;
	return options.find(({ kind }) => kind === first) ?? options.find(({ kind }) => kind === second);
}
