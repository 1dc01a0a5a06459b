// What is reviewed without changing a workspace: the diff of an issue's branch, and pull requests. So no lease is
// taken: a commit is picked once, and what is shown, pushed and recorded is that commit.
import type { AgentState } from "#contract/agent.ts";
import { changeText } from "#contract/change-text.ts";
import { fullName } from "#contract/full-name.ts";
import type { Handle } from "#contract/ids.ts";
import type { IssueState } from "#contract/issue.ts";
import type { IssueDiff, PullRequest, PullRequestBody } from "#contract/pull-request.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { shellWord } from "#contract/shell-word.ts";
import type { Pushed } from "#contract/workspace.ts";
import { forgeOf, pullRequestLink, remoteRepository } from "#views/forge.ts";
import type { Dispatch } from "../ports/dispatch.ts";
import type { Reads } from "../ports/store.ts";
import type { Checkout, CommitsAhead, DiffExtent, ProjectRepository } from "../ports/workspace-requests.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { baseOf, checkoutOf, projectRepository } from "./checkout.ts";
import { answeredWith, type Requester } from "./steps.ts";

export interface ReviewParts {
	reads: Reads;
	workspaces: Workspaces;
	dispatch: Dispatch;
}

/** The work that is reviewed. */
interface ReviewedWork {
	/** as people name it: `web#3` or `web/opus-1` */
	name: string;
	project: ProjectRepository;
	base: string;
	branch: string;
	commit: string;
	/** who did it */
	agent: AgentState | null;
	issue: IssueState | null;
}

/** The commits of an issue's branch; of a merged one, those that were merged. */
export async function issueDiff(
	parts: ReviewParts,
	issue: IssueState,
	what: DiffExtent = "patch",
): Promise<IssueDiff | Refusal> {
	const { workspaces } = parts;
	const found = await workOfIssue(parts, issue);
	if (isRefusal(found)) return found;
	const { branch } = issue;
	const uncommittedByHandle = await uncommitted(parts, issue);
	if (found.work === null)
		return {
			against: "base",
			files: [],
			total: { files: 0, added: 0, deleted: 0 },
			patch: "",
			next: { file: null, patch: null },
			truncated: false,
			omitted: [],
			branch,
			commit: null,
			uncommittedByHandle,
		};
	const { project, base, commit, agent } = found.work;
	const merged = issue.mergedCommit !== null && agent !== null;
	const diff = await workspaces.diffOfCommit(project, {
		...{ base, commit, what },
		...(merged && { mergedFor: agent.id }),
	});
	return isRefusal(diff) ? diff : { ...diff, branch, commit, uncommittedByHandle };
}

/** The handle of its agent, if that has changes which are in no commit. */
async function uncommitted({ reads, workspaces }: ReviewParts, { assignee }: IssueState): Promise<Handle | null> {
	const agent = assignee === null ? undefined : await reads.agent(assignee);
	const checkout = agent === undefined || agent.workspaceRemovedAt !== null ? null : await checkoutOf(reads, agent);
	const dirty = checkout === null ? null : await workspaces.uncommitted(checkout);
	return dirty?.code === "WORKTREE_DIRTY" ? (agent?.handle ?? null) : null;
}

/** Pushes the branch to `origin`, unless it is a dry run, and says how to open the pull request. */
export async function pullRequest(
	parts: ReviewParts,
	subject: { agent: AgentState } | { issue: IssueState },
	request: PullRequestBody,
	by: Requester,
): Promise<PullRequest | Refusal> {
	const work =
		"agent" in subject ? await workOfAgent(parts, subject.agent) : await workOfUnmergedIssue(parts, subject.issue);
	if (isRefusal(work)) return work;
	const moved = request.commit !== undefined && request.commit !== work.commit;
	if (moved)
		return refuse("CONFLICT", `${work.branch} is at ${work.commit.slice(0, 10)}, not at the commit that you named.`, {
			details: { branch: work.branch, commit: work.commit },
			suggestions: [diffCommand(work)],
		});
	const range = await parts.workspaces.commitsAhead(work.project, work);
	if (isRefusal(range)) return range;
	const refused = notPublishable(work, range);
	if (refused !== null) return refused;
	const opened = described(work, range, request);
	if (request.dryRun) return opened;
	const push = await parts.workspaces.pushCommit(work.project, work);
	const answer = push.pushed ? { ...opened, pushed: true } : refusedPush(work, push);
	await recordPush(parts, work, push, { by, answer });
	return answer;
}

function described(work: ReviewedWork, range: CommitsAhead, { title, body }: PullRequestBody): PullRequest {
	const { branch, base, commit } = work;
	const composed = changeText({ issue: work.issue, messages: range.messages, branch });
	const texts = { title: title ?? composed.title, body: body ?? composed.body };
	const [here, upstream] = [remoteRepository(range.origin ?? ""), remoteRepository(range.upstream ?? "")];
	const forge = here === null ? null : forgeOf(here.host);
	const target = here !== null && upstream?.host === here.host ? upstream.repository : (here?.repository ?? null);
	const link =
		here === null || forge === null || target === null
			? null
			: pullRequestLink(forge, { ...here, target, branch, base, ...texts });
	const where = {
		remote: "origin",
		host: here?.host ?? null,
		repository: here?.repository ?? null,
		target,
		forge,
		link,
	};
	return { branch, base, commit, commits: range.total, ...texts, ...where, pushed: false };
}

export async function workOfAgent(
	{ reads, workspaces }: ReviewParts,
	agent: AgentState,
): Promise<ReviewedWork | Refusal> {
	const name = fullName(agent);
	const checkout = await checkoutOf(reads, agent);
	if (checkout === null)
		return refuse("VALIDATION_ERROR", `${name} has no workspace, so there is no branch to push.`, {
			details: { agent: agent.id },
			suggestions: [`brood agent status ${name}`],
		});
	const { project, workspace } = checkout;
	if (workspace.kind === "main")
		return refuse("CONFLICT", `${name} works in the repository itself. Push its branch there with git.`, {
			details: { agent: agent.id, path: workspace.path },
			suggestions: [`brood agent status ${name}`],
		});
	const commit = await committed(workspaces, checkout);
	if (isRefusal(commit)) return commit;
	const issue = agent.issue === null ? null : ((await reads.issue(agent.issue.id)) ?? null);
	return { name, project, base: workspace.base, branch: workspace.branch, ...commit, agent, issue };
}

/** The tip of its branch; a refusal if something is not committed, or if base has all of it. */
async function committed(workspaces: Workspaces, checkout: Checkout): Promise<{ commit: string } | Refusal> {
	const dirty = await workspaces.uncommitted(checkout);
	if (dirty !== null) return dirty;
	const [status, tip] = [await workspaces.branchStatus(checkout), await workspaces.workTip(checkout)];
	if (isRefusal(status)) return status;
	if (tip !== null && typeof tip !== "string") return tip;
	const { agent, project, workspace } = checkout;
	if (tip === null || status.ahead === 0) return nothingToPush(`${project.slug}/${agent.handle}`, workspace.base);
	return { commit: tip };
}

export async function workOfUnmergedIssue(parts: ReviewParts, issue: IssueState): Promise<ReviewedWork | Refusal> {
	const name = nameOf(issue);
	if (issue.mergedCommit !== null)
		return refuse(
			"CONFLICT",
			`${name} was merged as ${issue.mergedCommit.slice(0, 10)}: there is nothing to merge or push.`,
			{
				details: { issueName: name, commit: issue.mergedCommit },
				suggestions: [`brood issue diff ${name}`],
			},
		);
	const found = await workOfIssue(parts, issue);
	if (isRefusal(found)) return found;
	const { work } = found;
	if (work === null) return noCommits(issue);
	if (work.agent === null || issue.assignee !== work.agent.id) return work;
	// its agent still works on it: uncommitted changes would be missing
	const checkout = await checkoutOf(parts.reads, work.agent);
	const dirty = checkout === null ? null : await parts.workspaces.uncommitted(checkout);
	return dirty?.code === "WORKTREE_DIRTY" ? dirty : work;
}

/** The issue's branch where it is; the branch of its agent, if that one stays on its own. */
async function workOfIssue(
	{ reads, workspaces }: ReviewParts,
	issue: IssueState,
): Promise<{ work: ReviewedWork | null } | Refusal> {
	const row = await reads.project(issue.project);
	const id = issue.assignee ?? issue.lastAgent;
	const agent = id === null ? null : ((await reads.agent(id)) ?? null);
	if (row === undefined || issue.branch === null) return { work: null };
	const base = (await baseOf(workspaces, row)) ?? agent?.workspace?.base ?? null;
	if (typeof base !== "string") return base ?? { work: null };
	const project = projectRepository(row);
	const checkout = agent === null || agent.workspaceRemovedAt !== null ? null : await checkoutOf(reads, agent);
	const isThere = checkout !== null && (issue.assignee === id || checkout.workspace.branch === issue.branch);
	// a sandboxed agent's commits are brought into the project's repository by this
	const own = isThere && checkout.workspace.kind !== "main" ? await workspaces.workTip(checkout) : null;
	if (own !== null && typeof own !== "string") return own;
	const merged = issue.mergedCommit === null ? null : (issue.approvedCommit ?? issue.commit);
	const commit = merged ?? own ?? (await workspaces.branchTip(project, issue.branch)) ?? issue.commit;
	if (commit === null) return { work: null };
	return { work: { name: nameOf(issue), project, base, branch: issue.branch, commit, agent, issue } };
}

const nameOf = ({ project, number }: IssueState): string => `${project}#${number}`;
const diffCommand = ({ issue, name }: ReviewedWork): string =>
	issue === null ? `brood diff ${name}` : `brood issue diff ${nameOf(issue)}`;

function noCommits(issue: IssueState): Refusal {
	const name = nameOf(issue);
	return refuse("AGENT_NO_COMMIT", `${name} has no commits yet.`, {
		details: { issueName: name },
		suggestions: [`brood issue show ${name}`],
	});
}

const nothingToPush = (name: string, base: string): Refusal =>
	refuse("AGENT_NO_COMMIT", `${name} has no commit that ${base} lacks: there is nothing to merge or push.`, {
		details: { base },
		suggestions: [name.includes("#") ? `brood issue show ${name}` : `brood agent status ${name}`],
	});

function notPublishable(
	{ name, project, base, branch }: ReviewedWork,
	{ origin, total }: CommitsAhead,
): Refusal | null {
	if (origin === null)
		return refuse("NOT_FOUND", `The repository of ${project.slug} has no remote origin to push to.`, {
			details: { path: project.path },
			suggestions: [`git -C ${shellWord(project.path)} remote --verbose`],
		});
	if (total === 0) return nothingToPush(name, base);
	return branch === base
		? refuse("CONFLICT", `${name} is on ${base} itself: a pull request needs a branch of its own.`, {
				details: { base },
			})
		: null;
}

/** A branch that was rebased after its first push needs force, which only a person may use. */
function refusedPush({ name, branch, commit }: ReviewedWork, { remote, error }: Pushed): Refusal {
	const rejected = /\[rejected\]|\[remote rejected\]/.test(error ?? "");
	const why = rejected
		? ` If ${branch} was rebased since it was last pushed, force the push yourself: Brood never does.`
		: "";
	return refuse(
		rejected ? "CONFLICT" : "GIT_FAILED",
		`${branch} could not be pushed to ${remote}: ${error ?? ""}${why}`,
		{
			details: { name, branch, commit },
			suggestions: [],
		},
	);
}

/** Also if the remote refused it. The answer is stored with it, so that a retry neither pushes nor records again. */
async function recordPush(
	{ dispatch }: ReviewParts,
	{ agent }: ReviewedWork,
	data: Pushed,
	{ by, answer }: { by: Requester; answer: PullRequest | Refusal },
): Promise<void> {
	if (agent === null) return;
	const command = {
		type: "workspace.record" as const,
		agent: agent.id,
		event: { kind: "workspace.pushed" as const, data },
	};
	const { actor } = by;
	const receipt =
		"key" in by && !isRefusal(answer)
			? { receipt: { actor, key: by.key, fingerprint: by.fingerprint, ...answeredWith(answer) } }
			: {};
	await dispatch({ actor, key: null, command, ...receipt });
}
