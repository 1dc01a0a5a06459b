// Side effects of issues: git, a folder for their documents, and gates' commands. One implementation uses plain folders
// (`adapters/system/issue-work.ts`); `workspaces/workspace-issues.ts` wraps it with git.
//
// Every method can be repeated after a crash. An expected failure is a `Refusal`.
import type { AgentState } from "#contract/agent.ts";
import type { ProjectSlug } from "#contract/ids.ts";
import type { IssueState } from "#contract/issue.ts";
import type { IssuesConfig } from "#contract/issues-config.ts";
import type { SharedConfig } from "#contract/project-config.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { IssueInProject } from "#domain/issue/decide.ts";

export interface IssueAssignment extends IssueInProject {
	agent: AgentState;
	/** the issue's branch; made from base where it is nowhere yet */
	branch: string;
}

export interface IssueWork {
	/**
	 * Why the agent's workspace could not take an issue now: WORKTREE_DIRTY, or CONFLICT for one that stays on a branch
	 * of another base; null if it could. Changes nothing.
	 */
	inspect(agent: AgentState): Promise<Refusal | null>;
	/**
	 * Puts the agent's workspace on the issue's branch: the local one, else the remote's, else a new one from the
	 * project's base. Answers the branch that it is on then, null for an agent that works where it is; and that base.
	 */
	switchBranch(assignment: IssueAssignment): Promise<{ branch: string | null; base?: string } | Refusal>;
	/**
	 * Commits what the turn left (and pushes, if the project says so); how far the branch is ahead of base, and its tip.
	 */
	settle(assignment: IssueAssignment): Promise<{ ahead: number; commit: string | null } | Refusal>;
	/** Takes the agent's workspace to its home branch. */
	returnToHomeBranch(assignment: IssueAssignment): Promise<Refusal | null>;
	/**
	 * Merges the approved commit into base, checks first; answers the merge commit, and a note on the remote. `agent` did
	 * the work and may have ended.
	 */
	merge(
		assignment: IssueInProject & { agent: AgentState | null; branch: string; commit: string | null },
	): Promise<{ commit: string | null; note?: string } | Refusal>;
	/** Runs a gate's command where the issue's branch can be seen, within a bounded time. */
	gate(
		assignment: IssueInProject & { agent: AgentState | null; branch: string; command: string },
		signal: AbortSignal,
	): Promise<{ exit: number; output: string }>;
	/** The issue's folder, created with these documents, each in the folder of its type. Null where there is no home. */
	folder(
		issue: Pick<IssueState, "project" | "number">,
		documents?: readonly { name: string; text: string }[],
	): Promise<string | null>;
	/** The files in it, as paths below it, sorted. */
	artifacts(issue: Pick<IssueState, "project" | "number">): Promise<string[]>;
	/** The project's presets and configuration of issues as written, or what is wrong with the file. */
	written(project: ProjectSlug): Promise<WrittenIssueConfig | { wrong: string }>;
}

export interface WrittenIssueConfig {
	presets: Readonly<Record<string, unknown>>;
	/** the names of the repository's presets that are not approved */
	pending?: readonly string[];
	/** as far as the files configure it */
	issues: IssuesConfig;
	/** what sites take from the file; absent where there is none */
	shared?: SharedConfig;
}

/** For a daemon without a home: agents have no workspaces, and their reports are trusted. */
export const noIssueWork: IssueWork = {
	inspect: async () => null,
	switchBranch: async () => ({ branch: null }),
	settle: async () => ({ ahead: 0, commit: null }),
	returnToHomeBranch: async () => null,
	merge: async ({ commit }) => ({ commit }),
	gate: async () => ({ exit: 1, output: "There is no place to run this command in." }),
	folder: async () => null,
	artifacts: async () => [],
	written: async () => ({ presets: {}, issues: {} }),
};
