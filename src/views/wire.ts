// From rows to what goes over the wire. The label is derived here, once, for every surface.
import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import type { MailState } from "#contract/mail.ts";
import type { ProjectState } from "#contract/project.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { TurnState } from "#contract/turn.ts";
import type { Agent, Item, Mail, Project, Prompt, Turn } from "#contract/wire.ts";
import { labelOf } from "#domain/agent/label.ts";

export function agentView(state: AgentState, counts: { queueLength: number; unreadMail: number }): Agent {
	const { settings: _, turn, lastError, ...rest } = state;
	return {
		...rest,
		...counts,
		label: labelOf(state),
		holds: state.holds.map((hold) => ({ ...hold, at: iso(hold.at) })),
		turn: turn && { id: turn.id, startedAt: iso(turn.startedAt) },
		lastError: lastError && { ...lastError, at: iso(lastError.at) },
		createdAt: iso(state.createdAt),
		lastActiveAt: iso(state.lastActiveAt),
		endedAt: maybe(state.endedAt),
		reapedAt: maybe(state.reapedAt),
		workspaceRemovedAt: maybe(state.workspaceRemovedAt),
	};
}

export const itemView = (event: Event): Item => ({ ...event, at: iso(event.at) });

export function turnView({ handedAt: _handed, stoppingAt: _stopping, ...turn }: TurnState): Turn {
	return { ...turn, startedAt: iso(turn.startedAt), endedAt: maybe(turn.endedAt) };
}

export const promptView = (prompt: PromptState, position: number): Prompt => ({ ...prompt, position, createdAt: iso(prompt.createdAt) });

export function mailView({ deletedAt: _, ...mail }: MailState): Mail {
	return { ...mail, sentAt: iso(mail.sentAt), readAt: maybe(mail.readAt) };
}

export const projectView = ({ slug, path, addedAt }: ProjectState): Project => ({ slug, path, addedAt: iso(addedAt) });

const iso = (ms: number): string => new Date(ms).toISOString();

const maybe = (ms: number | null): string | null => (ms === null ? null : iso(ms));
