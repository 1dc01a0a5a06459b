// Which events notify a person, and the text of each notice.
import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import { fullName } from "#contract/full-name.ts";
import type { IssueState } from "#contract/issue.ts";
import type { Notice, NoticeKind } from "#contract/notice.ts";
import { inline } from "#contract/visible.ts";

/** An event that a person is notified of, with the issue that it is about. */
export interface NoticeTrigger {
	kind: NoticeKind;
	event: Event;
	issue: number | null;
}

/** Holds that only a person ends. */
const heldForPerson: readonly unknown[] = ["error", "crash", "dirty", "recovery"];

export function noticeTriggerOf(event: Event): NoticeTrigger | null {
	const field = (name: string): unknown => Reflect.get(Object(event.data), name);
	const issue = field("issue");
	const call = (kind: NoticeKind): NoticeTrigger => ({ kind, event, issue: typeof issue === "number" ? issue : null });
	switch (event.kind) {
		case "approval.asked":
			return field("answer") === undefined ? call("approval") : null;
		case "agent.held":
			return heldForPerson.includes(field("hold")) ? call("error") : null;
		case "turn.ended":
			return field("state") === "failed" ? call("error") : field("state") === "completed" ? call("done") : null;
		case "issue.moved":
			return field("waiting") === "approval" ? call("review") : field("final") === true ? call("done") : null;
		case "issue.escalated":
			return call("review");
		default:
			return null;
	}
}

const textMax = 300;

interface About {
	agent: Pick<AgentState, "handle" | "project"> | null;
	issue: Pick<IssueState, "project" | "number" | "title"> | null;
}

export function noticeOf({ kind, event }: NoticeTrigger, { agent, issue }: About): Notice {
	const field = (name: string): string => {
		const value: unknown = Reflect.get(Object(event.data), name);
		return typeof value === "string" ? value : "";
	};
	const project = issue?.project ?? agent?.project ?? null;
	const who = agent && fullName(agent);
	const about = issue === null ? null : `${issue.project}#${issue.number}`;
	const subject = about ?? who ?? "Brood";
	const words: Record<NoticeKind, { title: string; text: string; command: string }> = {
		approval: {
			title: `${subject} asks for approval`,
			text: field("title"),
			command: `brood approval show ${event.id}`,
		},
		error: { title: `${subject} has a problem`, text: field("reason"), command: `brood agent status ${who}` },
		review:
			event.kind === "issue.escalated"
				? { title: `${subject} needs you`, text: event.text ?? "", command: `brood issue show ${about}` }
				: { title: `${subject} waits for your review`, text: issue?.title ?? "", command: `brood issue show ${about}` },
		done: {
			title: `${subject} is done`,
			text: issue?.title ?? "",
			command: about === null ? `brood log ${who}` : `brood issue show ${about}`,
		},
	};
	const { title, text, command } = words[kind];
	return {
		...{ kind, title: inline(title), text: inline(text).slice(0, textMax).toWellFormed(), command, project },
		...{ agent: who, issue: about, approval: kind === "approval" ? event.id : null },
	};
}
