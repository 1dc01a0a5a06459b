// Whether what a vendor's program remembers is what our journal says. If it is not, exactly, it is told the journal's
// words in a session that begins with them.
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

/** How an agent's program comes to know its conversation; what is null is not to be had. */
export interface SessionStart {
	/** its own session, and whether a new process may go on with it as well as the one that has it open */
	own: { session: string; resumable: boolean } | null;
	/** a session of which it may take a copy */
	copyOf: string | null;
	/** what that session had cost when it was last told: programs go on counting from there */
	costBefore: number;
}

export interface SessionFacts {
	agent: AgentState;
	/** the last turn before the one that is about to run */
	lastTurn: TurnState | undefined;
	/** what its session had cost when that was last told: not every turn tells it */
	sessionCost: number;
	/** the newest clear or rewind of the agent's own thread; 0 if there was none */
	cutAt: number;
	/** the agent that it was forked from, and the same of that one; only while it has no session of its own */
	parent: Omit<SessionFacts, "parent"> | null;
}

export function sessionStartFor({ agent, lastTurn, sessionCost, cutAt, parent }: SessionFacts): SessionStart {
	const { session } = agent;
	const isOwn =
		session !== null &&
		session.type === agent.type &&
		session.openedIn > cutAt &&
		session.folder === folderOf(agent, session);
	// what the agent has said itself since the fork is not in its parent's session
	const copyOf =
		session === null && lastTurn === undefined && cutAt === 0 && parent !== null ? copied(agent, parent) : null;
	return {
		// what did not end by itself may not be in the session as it is in the journal
		own: isOwn ? { session: session.session, resumable: lastTurn?.state === "completed" } : null,
		copyOf,
		costBefore: copyOf === null ? sessionCost : (parent?.sessionCost ?? 0),
	};
}

/** The parent's session, if it ends exactly where the child begins and the child can reach it. */
function copied(child: AgentState, { agent, lastTurn, cutAt }: NonNullable<SessionFacts["parent"]>): string | null {
	const { session } = agent;
	const forkPoint = child.lineage?.forkPoint ?? 0;
	if (session === null || session.type !== child.type || !session.powers.includes("fork") || session.openedIn < cutAt)
		return null;
	const atItsEnd =
		lastTurn?.state === "completed" &&
		lastTurn.finalItem !== null &&
		lastTurn.finalItem <= forkPoint &&
		agent.turn === null;
	return atItsEnd && session.openedIn < forkPoint && linked(child, agent) ? session.session : null;
}

/** Vendors look for sessions by folder, and know the linked worktrees of a repository as one place. */
function linked({ workspace: child }: AgentState, { workspace: parent }: AgentState): boolean {
	if (child === null || parent === null) return false;
	return (
		child.path === parent.path || (child.kind === "worktree" && (parent.kind === "worktree" || parent.kind === "main"))
	);
}

/** An agent that has no workspace always works in the same place of the home. */
const folderOf = ({ workspace }: AgentState, session: Session): string => workspace?.path ?? session.folder;
