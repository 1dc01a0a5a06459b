// What events do to the rows of mail, approvals and waits.
import type { ApprovalState } from "#contract/approval.ts";
import { system } from "#contract/ids.ts";
import type { WaitState } from "#contract/wait.ts";
import type { Changes, EventOf } from "./change.ts";

const byMail = (event: { data: { mail: number } }): number[] => [event.data.mail];

export const mailChanges = {
	"mail.sent": {
		keys: ({ id }) => [id],
		make: ({ id, actor: from, agent: to, text: body, at: sentAt, data }) => ({
			...{ id, from, to, body, urgent: data?.urgent === true, state: "accepted", sentAt },
			...{ deliveredIn: null, readAt: null, deletedAt: null },
		}),
	},
	"mail.delivered": {
		keys: byMail,
		change: (row, { data }) => ({ ...row, state: "delivered", deliveredIn: data.turn }),
	},
	"mail.read": { keys: byMail, change: (row, { at }) => ({ ...row, state: "read", readAt: at }) },
	"mail.deleted": { keys: byMail, change: (row, { at }) => ({ ...row, deletedAt: at }) },
} satisfies Changes<"mail">;

export const approvalChanges = {
	"approval.asked": { keys: ({ id }) => [id], make: asked },
	"approval.answered": {
		keys: ({ data }) => [data.approval],
		change: (row, { data, at, actor }) =>
			answered(row, { ...data, reason: data.reason ?? null, answeredAt: at, answeredBy: actor }),
	},
	"approval.cancelled": {
		keys: ({ data }) => data.approvals,
		change: (row, { at }) => ({ ...row, state: "cancelled", answeredAt: at }),
	},
} satisfies Changes<"approval">;

function asked({ id, agent, data, at }: EventOf<"approval.asked">): ApprovalState {
	const { turn, answer, ...question } = data;
	const pending = { answeredAt: null, answeredBy: null, option: null, reason: null };
	const row: ApprovalState = { id, agent, turn, ...question, state: "pending", askedAt: at, ...pending };
	return answer === undefined
		? row
		: answered(row, { ...answer, reason: answer.why, answeredAt: at, answeredBy: system });
}

type ApprovalAnswerFields = Pick<ApprovalState, "answeredAt" | "answeredBy" | "option" | "reason"> & {
	allowed: boolean;
};

function answered(
	row: ApprovalState,
	{ allowed, answeredAt, answeredBy, option, reason }: ApprovalAnswerFields,
): ApprovalState {
	return { ...row, state: allowed ? "allowed" : "denied", answeredAt, answeredBy, option, reason };
}

export const waitChanges = {
	"wait.opened": { keys: ({ id }) => [id], make: opened },
	"wait.ready": {
		keys: ({ data }) => [data.wait],
		change: (row, { data: { wait: _, ...outcome } }) => ({ ...row, ready: outcome }),
	},
	"wait.ended": {
		keys: ({ data }) => [data.wait],
		change: (row, { data: { wait: _, ...outcome }, at }) => ({ ...row, ...outcome, ready: null, endedAt: at }),
	},
} satisfies Changes<"wait">;

function opened({ id, agent, data, at, actor }: EventOf<"wait.opened">): WaitState {
	const { seen, ...request } = data;
	const started = { openedAt: at, openedBy: actor, endedAt: null };
	const row: WaitState = { id, agent, ...request, state: "open", ...started, seen: [], ready: null };
	return seen === undefined ? row : { ...row, state: "met", endedAt: at, seen };
}
