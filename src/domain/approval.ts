// Approvals: asked by an agent's process, answered once, by a person, a permit or the agent's policy.
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

/** Tools that `auto-edit` allows if all their files are inside the workspace. */
const fileTools: readonly string[] = ["read", "search", "edit", "move"];

export function decideAsk(agent: AgentState, { turn, question }: ApprovalAsk): Decision {
	const refusal = closed(agent, turn);
	if (refusal) return refusal;
	const answer = automaticAnswer(agent, question);
	const option = answer === null ? undefined : optionFor(question.options, answer.allowed, false);
	// it cannot be allowed if the program offers no option for that
	const settled = answer !== null && (option !== undefined || !answer.allowed);
	return [
		{
			kind: "approval.asked",
			agent: agent.id,
			data: { ...question, turn, ...(settled && { answer: { option: option?.id ?? null, ...answer } }) },
		},
	];
}

/** Beyond a number of pending approvals, further ones are refused. */
export function withinLimit(
	agent: AgentState,
	asked: Decision,
	{ open, openMax }: { open: number; openMax: number },
): Decision {
	if (isRefusal(asked) || open < openMax || !asked.some(isPending)) return asked;
	return refuse("QUEUE_FULL", `${agent.handle} has ${open} open approvals, which is the limit.`, {
		details: { agent: agent.id, limit: openMax, limitName: "approvalsOpenMax" },
		suggestions: ["brood approval list"],
	});
}

const isPending = (event: NewEvent): boolean =>
	event.kind === "approval.asked" && "data" in event && Reflect.get(Object(event.data), "answer") === undefined;

/** The tool of a question about the repository, which no agent's program asked. */
export const trustTool = "trust";

/** The answer of a permit or, after that, of the policy; null if a person has to answer. */
function automaticAnswer(
	{ policy, permits }: AgentState,
	{ tool, title, inside, digest }: ApprovalQuestion,
): { allowed: boolean; why: string } | null {
	// whether a repository may run code depends on its content, not on an agent's policy
	if (tool === trustTool) return null;
	const permit = permits.findLast((each) => each.tool === tool && each.title === title && each.digest === digest);
	if (permit !== undefined)
		return { allowed: permit.allow, why: `${permit.allow ? "allowed" : "denied"} for good before` };
	if (policy === "full") return { allowed: true, why: "policy full" };
	return policy === "auto-edit" && (tool === "think" || (fileTools.includes(tool) && inside))
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
	const suggestions = ["brood approval list"];
	if (approval === undefined || approval.agent !== agent.id)
		return refuse("NOT_FOUND", `${agent.handle} asked nothing with the number ${id}.`, { details, suggestions });
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
	const option = optionFor(approval.options, allow, always)?.id ?? null;
	const { tool, title, digest } = approval;
	const answered: NewEvent = {
		kind: "approval.answered",
		agent: agent.id,
		data: {
			...{ approval: id, allowed: allow, option },
			...(always && { permit: { tool, title, digest, allow } }),
			...because(reason),
		},
	};
	// ACP has no field for a reason; without one, the model only tries the same in another way
	const needsPrompt = !allow && reason !== "" && !getsDenialReasons(agent.type) && tool !== trustTool;
	return needsPrompt ? [answered, denialPrompt(agent, approval, reason, nextPosition(true, queue))] : [answered];
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
