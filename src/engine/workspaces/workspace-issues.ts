// Git for issues, on top of the work cycle. Agents in worktrees change branches with their issues; an agent without a
// workspace, in its own clone or in the repository itself stays where it is.
import type { AgentState } from "#contract/agent.ts";
import { system } from "#contract/ids.ts";
import type { IssueState } from "#contract/issue.ts";
import { isOwn, type NodeEpoch } from "#contract/node.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { mergeNote } from "#contract/remote-text.ts";
import type { Merged } from "#contract/workspace.ts";
import { othersInWorkspace } from "../commands/shared-workspace.ts";
import type { IssueWork } from "../ports/issue-work.ts";
import type { Reads } from "../ports/store.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { baseOf, checkoutOf, projectRepository } from "./checkout.ts";
import type { WorkCycle } from "./work-cycle.ts";

/** A shared worktree stays on its branch. */
const changesBranches = async (reads: Reads, agent: AgentState): Promise<boolean> =>
	agent.workspace?.kind === "worktree" && (await othersInWorkspace(reads, agent)).length === 0;

export function workspaceIssues(
	cycle: WorkCycle,
	reads: Reads,
	plain: IssueWork,
	node: NodeEpoch | null = null,
): IssueWork {
	const { workspaces } = cycle;
	return {
		...plain,
		async inspect(agent) {
			// what is at another node is not looked at
			const checkout = isOwn(node, agent) ? await checkoutOf(reads, agent) : null;
			if (checkout === null) return null;
			return (await otherBase(workspaces, reads, agent)) ?? (await workspaces.uncommitted(checkout));
		},
		switchBranch: (assignment) => onIssueBranch(cycle, reads, assignment),
		/** Commits what is left in the agent's name, unless the agent has ended. */
		async settle({ agent, issue }) {
			const checkout = await checkoutOf(reads, agent);
			if (checkout === null) return { ahead: 0, commit: null };
			const before = await workspaces.branchStatus(checkout);
			if (isRefusal(before)) return before;
			if (before.uncommitted && agent.life !== "ended") {
				const made = await cycle.commit(agent, { message: commitMessageOf(issue) }, { actor: system });
				if (isRefusal(made) && made.code !== "AGENT_NO_COMMIT") return made;
				if (!isRefusal(made)) await cycle.push(agent);
			}
			const after = await workspaces.branchStatus(checkout);
			return isRefusal(after) ? after : { ahead: after.ahead, commit: after.head };
		},
		async returnToHomeBranch({ agent }) {
			const { issue, workspace } = agent;
			// it never left
			if (workspace === null || (issue?.homeBranch == null && !(await changesBranches(reads, agent)))) return null;
			const to = { branch: issue?.homeBranch ?? workspace.branch, base: issue?.homeBase ?? workspace.base };
			const home = await cycle.switchBranch(agent, to, { actor: system });
			return isRefusal(home) ? home : null;
		},
		/** Approved presets of the repository rank below those of the home. */
		async written(slug) {
			const [own, project] = [await plain.written(slug), await reads.project(slug)];
			if ("wrong" in own || project === undefined || project.base === null) return own;
			const effective = await workspaces.settings(projectRepository(project), project.approved);
			if (isRefusal(effective)) return { wrong: effective.message };
			return {
				...own,
				presets: { ...effective.settings.presets, ...own.presets },
				pending: effective.unapprovedConfig?.presets ?? [],
			};
		},
		merge: (assignment) => merged(cycle, assignment),
		async gate(assignment, signal) {
			const commit = await commitToTry(cycle, reads, assignment);
			if (commit !== null && typeof commit !== "string") return { exit: 1, output: commit.message };
			// only without git: an empty repository has no commit either
			if (commit === null) return await plain.gate(assignment, signal);
			const ran = await workspaces.runAtCommit(
				assignment.project,
				{ commit, command: assignment.command },
				{ signal, approved: assignment.project.approved },
			);
			return isRefusal(ran) ? { exit: 1, output: ran.message } : { exit: ran.exit ?? 1, output: ran.output };
		},
	};
}

async function onIssueBranch(
	cycle: WorkCycle,
	reads: Reads,
	{ agent, branch, project }: Parameters<IssueWork["switchBranch"]>[0],
): ReturnType<IssueWork["switchBranch"]> {
	const { workspace } = agent;
	const base = workspace === null || workspace.kind === "main" ? null : await baseOf(cycle.workspaces, project);
	if (base === null) return { branch: null };
	if (typeof base !== "string") return base;
	if (!(await changesBranches(reads, agent))) return { branch: null, base };
	const there = await cycle.switchBranch(agent, { branch, base }, { actor: system });
	return isRefusal(there) ? there : { branch, base };
}

/** An agent that stays on its own branch would bring along what its base has and the project's lacks. */
async function otherBase(
	workspaces: Pick<Workspaces, "settings">,
	reads: Reads,
	agent: AgentState,
): Promise<Refusal | null> {
	const { id, handle, workspace } = agent;
	const project = agent.project === null ? undefined : await reads.project(agent.project);
	if (project === undefined || workspace === null || workspace.kind === "main") return null;
	const base = (await changesBranches(reads, agent)) ? workspace.base : await baseOf(workspaces, project);
	if (base === workspace.base || base === null) return null;
	if (typeof base !== "string") return base;
	return refuse(
		"CONFLICT",
		`${handle} stays on its own branch, which began at ${workspace.base}; issues of ${project.slug} are merged into ${base}.`,
		{ details: { agent: id, base }, suggestions: [`brood agent add --project ${project.slug}`] },
	);
}

/**
 * The commit that would be merged: of the issue's branch, else of the agent's own branch, else of base.
 */
async function commitToTry(
	{ workspaces }: WorkCycle,
	reads: Reads,
	{ project, agent, branch }: Parameters<IssueWork["gate"]>[0],
): Promise<string | null | Refusal> {
	const tip = await workspaces.branchTip(project, branch);
	if (tip !== null) return tip;
	const checkout = agent === null ? null : await checkoutOf(reads, agent);
	const own = checkout === null ? null : await workspaces.workTip(checkout);
	if (own !== null) return own;
	const base = await baseOf(workspaces, project);
	return typeof base === "string" ? await workspaces.branchTip(project, base) : base;
}

/** A forge would link a bare `#3` to its own third issue. */
const commitMessageOf = ({ title, project, number }: Pick<IssueState, "title" | "project" | "number">): string =>
	`${title}\n\nBrood-Issue: ${project}#${number}`;

const named = ({ title, project, number }: IssueState): { title: string; name: string } => ({
	title,
	name: `${project}#${number}`,
});

/** Work without a commit has nothing to merge. */
async function merged(
	cycle: WorkCycle,
	{ project, agent, branch, commit, issue }: Parameters<IssueWork["merge"]>[0],
): ReturnType<IssueWork["merge"]> {
	const { workspaces } = cycle;
	const tip = await workspaces.branchTip(project, branch);
	const base = await baseOf(workspaces, project);
	if (base === null) return { commit: null };
	if (typeof base !== "string") return base;
	if (agent === null || commit === null || tip === (await workspaces.branchTip(project, base)))
		return nothingToMerge(issue, base);
	if (tip === null) return await mergeOwnBranch(cycle, agent, { base, commit, issue });
	const result = await cycle.approveBranch(
		agent,
		{ project, base, branch, commit, strategy: issue.approvedStrategy ?? undefined, issue: named(issue) },
		{ actor: system },
	);
	// base has all of it already
	if (isRefusal(result)) return result.code === "AGENT_NO_COMMIT" ? nothingToMerge(issue, base) : result;
	return answerOf(result);
}

function nothingToMerge(issue: IssueState, base: string): { commit: null } | Refusal {
	if (issue.approvedEmpty !== false) return { commit: null };
	const name = `${issue.project}#${issue.number}`;
	return refuse("AGENT_NO_COMMIT", `${name} has nothing to merge: it has no commit that ${base} lacks.`, {
		details: { issueName: name, base },
		suggestions: [`brood issue show ${name}`, `brood issue approve ${name} --empty`],
	});
}

const answerOf = (merged: Merged): { commit: string; note?: string } => {
	const note = mergeNote(merged);
	return { commit: merged.commit, ...(note !== null && { note }) };
};

/**
 * An agent in a clone or a shared worktree has the work on its own branch; one in the repository itself worked on base.
 */
async function mergeOwnBranch(
	cycle: WorkCycle,
	agent: AgentState,
	{ base, commit, issue }: { base: string; commit: string; issue: IssueState },
): ReturnType<IssueWork["merge"]> {
	if (agent.workspace === null || agent.workspace.kind === "main") return { commit: null };
	const strategy = issue.approvedStrategy ?? undefined;
	const result = await cycle.approve(agent, { base, commit, strategy, issue: named(issue) }, { actor: system });
	return isRefusal(result) ? result : answerOf(result.merged);
}
