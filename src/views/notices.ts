// Which events notify a person, and the text of each notice.
import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import { dataOf } from "#contract/event-data.ts";
import { fullName } from "#contract/full-name.ts";
import type { IssueState } from "#contract/issue.ts";
import type { Notice, NoticeKind } from "#contract/notice.ts";
import { inline } from "#contract/visible.ts";
import { holdTable } from "#domain/agent-state/holds.ts";

/** An event that a person is notified of, with the issue that it is about. */
export interface NoticeTrigger {
	kind: NoticeKind;
	event: Event;
	issue: number | null;
}

export function noticeTriggerOf(event: Event): NoticeTrigger | null {
	const trigger = (kind: NoticeKind, issue: number | null = null): NoticeTrigger => ({ kind, event, issue });
	const asked = dataOf(event, "approval.asked");
	if (asked !== undefined) return asked.answer === undefined ? trigger("approval") : null;
	const held = dataOf(event, "agent.held");
	if (held !== undefined) return holdTable[held.hold].label === "error" ? trigger("error") : null;
	const ended = dataOf(event, "turn.ended");
	if (ended !== undefined)
		return ended.state === "failed" ? trigger("error") : ended.state === "completed" ? trigger("done") : null;
	const moved = dataOf(event, "issue.moved");
	if (moved !== undefined) {
		const kind = moved.waiting === "approval" ? "review" : moved.final === true ? "done" : null;
		return kind && trigger(kind, moved.issueId);
	}
	const waits = dataOf(event, "issue.waitChanged");
	if (waits !== undefined) return waits.waiting === "approval" ? trigger("review", waits.issueId) : null;
	const escalated = dataOf(event, "issue.escalated");
	return escalated === undefined ? null : trigger("review", escalated.issueId);
}

const textMax = 300;

interface About {
	agent: Pick<AgentState, "handle" | "project"> | null;
	issue: Pick<IssueState, "project" | "number" | "title"> | null;
}

export function noticeOf({ kind, event }: NoticeTrigger, { agent, issue }: About): Notice {
	const project = issue?.project ?? agent?.project ?? null;
	const who = agent && fullName(agent);
	const about = issue === null ? null : `${issue.project}#${issue.number}`;
	const subject = about ?? who ?? "Brood";
	const words: Record<NoticeKind, { title: string; text: string; next: string }> = {
		approval: {
			title: `${subject} asks for approval`,
			text: dataOf(event, "approval.asked")?.title ?? "",
			next: `brood approval show ${event.id}`,
		},
		error: { title: `${subject} has an error`, text: reasonIn(event), next: `brood agent status ${who}` },
		review:
			event.kind === "issue.escalated"
				? { title: `${subject} needs you`, text: event.text ?? "", next: `brood issue show ${about}` }
				: { title: `${subject} waits for your review`, text: issue?.title ?? "", next: `brood issue show ${about}` },
		done: {
			title: `${subject} is done`,
			text: issue?.title ?? "",
			next: about === null ? `brood log ${who}` : `brood issue show ${about}`,
		},
	};
	const { title, text, next } = words[kind];
	return {
		...{ kind, title: inline(title), text: inline(text).slice(0, textMax).toWellFormed(), next, project },
		...{ agent: who, issue: about, approval: kind === "approval" ? event.id : null },
	};
}

const reasonIn = (event: Event): string => (dataOf(event, "agent.held") ?? dataOf(event, "turn.ended"))?.reason ?? "";
