// Decides whether a vendor's session still matches the journal. If it does not match exactly, the program starts a new
// session that is seeded with the context.
import type { AgentState } from "#contract/agent.ts";
import type { Session, SessionOpen } from "#contract/session.ts";
import type { TurnState } from "#contract/turn.ts";
import type { Decision } from "./decision.ts";

export function decideOpenSession(agent: AgentState, { turn, opened, note }: SessionOpen): Decision {
	return [
		{ kind: "session.opened", agent: agent.id, data: opened },
		...(note === null ? [] : [{ kind: "system", agent: agent.id, turn, text: note, data: { session: opened.how } }]),
	];
}

/** How an agent's program gets its conversation; null where that way is not possible. */
export interface SessionStart {
	/** its own session, and whether a new process may resume it */
	own: { sessionId: string; resumable: boolean } | null;
	/** a session that it may copy */
	copyOf: string | null;
	/** the session's cost as last reported; programs go on counting from there */
	costBefore: number;
}

export interface SessionFacts {
	agent: AgentState;
	/** the last turn before the one that is about to run */
	lastTurn: TurnState | undefined;
	/** the session's cost as last reported; not every turn reports it */
	sessionCost: number;
	/** the newest clear or rewind of the agent's own thread; 0 if there is none */
	newestClearOrRewind: number;
	/** the agent that it was forked from, with the same facts; only while it has no session of its own */
	parent: Omit<SessionFacts, "parent"> | null;
}

export function sessionStartFor({
	agent,
	lastTurn,
	sessionCost,
	newestClearOrRewind,
	parent,
}: SessionFacts): SessionStart {
	const { session } = agent;
	const isOwn =
		session !== null &&
		session.type === agent.type &&
		session.openedIn > newestClearOrRewind &&
		session.folder === folderOf(agent, session);
	// the agent's own items since the fork are not in its parent's session
	const copyOf =
		session === null && lastTurn === undefined && newestClearOrRewind === 0 && parent !== null
			? copied(agent, parent)
			: null;
	return {
		// after an interrupted or failed turn, session and journal may differ
		own: isOwn ? { sessionId: session.sessionId, resumable: lastTurn?.state === "completed" } : null,
		copyOf,
		costBefore: copyOf === null ? sessionCost : (parent?.sessionCost ?? 0),
	};
}

/** The parent's session, if it ends exactly at the fork point and the child can reach it. */
function copied(
	child: AgentState,
	{ agent, lastTurn, newestClearOrRewind }: NonNullable<SessionFacts["parent"]>,
): string | null {
	const { session } = agent;
	const forkPoint = child.lineage?.forkPoint ?? 0;
	if (
		session === null ||
		session.type !== child.type ||
		!session.capabilities.includes("fork") ||
		session.openedIn < newestClearOrRewind
	)
		return null;
	const atItsEnd =
		lastTurn?.state === "completed" &&
		lastTurn.finalItem !== null &&
		lastTurn.finalItem <= forkPoint &&
		agent.turn === null;
	return atItsEnd && session.openedIn < forkPoint && linked(child, agent) ? session.sessionId : null;
}

/** Vendors look sessions up by folder, and treat the linked worktrees of a repository as one folder. */
function linked({ workspace: child }: AgentState, { workspace: parent }: AgentState): boolean {
	if (child === null || parent === null) return false;
	return (
		child.path === parent.path || (child.kind === "worktree" && (parent.kind === "worktree" || parent.kind === "main"))
	);
}

/** An agent without a workspace always works in the same folder of the home. */
const folderOf = ({ workspace }: AgentState, session: Session): string => workspace?.path ?? session.folder;
