// Merges of an agent's work: merged by git, recorded with the result of the push, and reported to the agent.
import type { AgentState } from "#contract/agent.ts";
import type { ProjectState } from "#contract/project.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Merged, MergeStrategy } from "#contract/workspace.ts";
import type { ApproveRequest, Checkout } from "../ports/workspace-requests.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { nonexistentPath, type Sites } from "./sites.ts";
import { type Requester, type Steps, startedStepOf } from "./steps.ts";

export interface ApproveOptions {
	/** the agent's if absent */
	base?: string | undefined;
	commit?: string | undefined;
	strategy?: MergeStrategy | undefined;
	message?: string | undefined;
	issue?: ApproveRequest["issue"];
}

/** A commit of an agent's on a branch that its workspace need not be on. */
export interface BranchToMerge {
	project: ProjectState;
	base: string;
	branch: string;
	commit: string;
	strategy: MergeStrategy | undefined;
	issue: NonNullable<ApproveRequest["issue"]>;
}

export class Merges {
	readonly #workspaces: Workspaces;
	readonly #steps: Steps;
	readonly #sites: Sites;

	constructor(workspaces: Workspaces, steps: Steps, sites: Sites) {
		this.#workspaces = workspaces;
		this.#steps = steps;
		this.#sites = sites;
	}

	/** Into the base at the project's home node, wherever the agent is. */
	async ofAgent(
		agent: AgentState,
		project: ProjectState | null,
		request: ApproveOptions,
		by: Requester,
	): Promise<Merged | Refusal> {
		const { base, ...rest } = request;
		return await this.#steps.leased(agent, "approve", by, async (own, control) => {
			const checkout = base === undefined ? own : { ...own, workspace: { ...own.workspace, base } };
			// a retry merges the commit of the first attempt, wherever the branch is now
			const given = request.commit ?? startedStepOf(by, "approve")?.commit;
			const pinned = given === undefined ? await this.#tip(checkout) : { commit: given };
			if (isRefusal(pinned)) return pinned;
			await this.#steps.begin(by, { step: "approve", commit: pinned.commit });
			const { begin: _begin, begun: _begun, ...watched } = control;
			const away = project !== null && !this.#sites.isHomeNode(project) ? project : null;
			const pin = { ...rest, commit: pinned.commit, ...watched };
			return await this.#merge(checkout, pin, { by, frees: true, away });
		});
	}

	/** Takes no lease: the agent's workspace is not touched. */
	async ofBranch(agent: AgentState, branch: BranchToMerge, by: Requester): Promise<Merged | Refusal> {
		const { project, base, commit, strategy, issue } = branch;
		const workspace = { kind: "worktree" as const, path: nonexistentPath, branch: branch.branch, base };
		return await this.#merge(
			{ project, agent, workspace },
			{ commit, strategy, issue, approved: project.approved },
			{ by, frees: false },
		);
	}

	async #merge(
		checkout: Checkout,
		{ strategy, message, issue, ...request }: ApproveOptions & Omit<ApproveRequest, "strategy" | "message" | "issue">,
		{ by, frees, away = null }: { by: Requester; frees: boolean; away?: ProjectState | null },
	): Promise<Merged | Refusal> {
		const whole = {
			...request,
			...(strategy && { strategy }),
			...(message && { message }),
			...(issue && { issue }),
		};
		const result = await (away === null
			? this.#workspaces.approve(checkout, whole)
			: this.#sites.merge(checkout, away, whole, by));
		if (isRefusal(result)) return result;
		const { reviewed, commit, base, before } = result;
		const data = { reviewed, commit, strategy: result.strategy, base, before };
		if (result.push !== null) await this.#steps.record(checkout, { kind: "workspace.pushed", data: result.push }, by);
		const tell = `Your commit ${reviewed.slice(0, 10)} was merged into ${base} as ${commit.slice(0, 10)}.`;
		const receipt = { outcome: { begun: { step: "approve" as const, commit: request.commit, merged: result } } };
		await this.#steps.record(checkout, { kind: "workspace.merged", data }, by, { tell, receipt, frees });
		return result;
	}

	async #tip(checkout: Checkout): Promise<{ commit: string } | Refusal> {
		const branchStatus = await this.#workspaces.branchStatus(checkout);
		if (isRefusal(branchStatus)) return branchStatus;
		if (branchStatus.head !== null) return { commit: branchStatus.head };
		return refuse("AGENT_NO_COMMIT", `${checkout.agent.handle} has no commit yet.`, {
			suggestions: [`brood agent diff ${checkout.project.slug}/${checkout.agent.handle}`],
		});
	}
}
