// What ends: at a release the agent's work on its issue, and its error holds; before a recovery touches the files, the
// processes in the workspace; and an agent that is deleted, with its workspace.
import type { AgentState } from "#contract/agent.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import { isWhole } from "#domain/health.ts";
import { othersInWorkspace } from "../commands/shared-workspace.ts";
import type { Publisher } from "../loop/publish.ts";
import { until } from "../loop/until.ts";
import type { Driver } from "../ports/driver.ts";
import type { Reads } from "../ports/store.ts";
import type { Checkout } from "../ports/workspace-requests.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { checkoutOf } from "./checkout.ts";
import type { Requester, Steps } from "./steps.ts";

interface Parts {
	driver: Pick<Driver, "end"> | null;
	reads: Reads;
	workspaces: Workspaces;
	publisher: Publisher;
}

export class Endings {
	readonly #parts: Parts;
	readonly #steps: Steps;

	constructor(parts: Parts, steps: Steps) {
		this.#parts = parts;
		this.#steps = steps;
	}

	/** A refusal if its issue could not be dropped. Whether the tree is clean is asked before anything is given up. */
	async dropIssue(agent: AgentState, by: Requester): Promise<Refusal | null> {
		if (agent.issue === null) return null;
		const checkout = await checkoutOf(this.#parts.reads, agent);
		const dirty = checkout === null ? null : await this.#parts.workspaces.uncommitted(checkout);
		if (dirty !== null) return dirty;
		const { id } = agent.issue;
		const refused = await this.#steps.send({ type: "issue.unassign", issueId: id }, { actor: by.actor });
		if (refused !== null) return refused;
		const isDropped = async (): Promise<{ agent: AgentState | undefined } | null> => {
			const now = await this.#parts.reads.agent(agent.id);
			return now?.issue?.id === id ? null : { agent: now };
		};
		await until(this.#parts.publisher, isDropped);
		return null;
	}

	/** Ends error holds where nothing is wrong with the workspace any more. */
	async endErrors(agent: AgentState, by: Requester): Promise<Refusal | null> {
		const errors = agent.holds.some(({ kind }) => kind === "drift" || kind === "error");
		const checkout = errors ? await checkoutOf(this.#parts.reads, agent) : null;
		if (checkout === null) return null;
		const { issues: problems } = await this.#parts.workspaces.health(checkout, { commit: null });
		if (!isWhole(problems, { step: undefined, uncommitted: false })) return null;
		return await this.#steps.send({ type: "agent.recover", agent: agent.id }, { actor: by.actor });
	}

	/** The workspace goes to the trash, with a snapshot; then the agent is deleted. */
	async deleteAgent(
		agent: AgentState,
		request: { force: boolean; deleteBranch: boolean; reason: string },
		by: Requester,
	): Promise<Refusal | null> {
		const shared = (await othersInWorkspace(this.#parts.reads, agent)).length > 0;
		const command = { type: "agent.delete" as const, agent: agent.id, reason: request.reason };
		const gone = agent.workspace === null || agent.workspaceRemovedAt !== null;
		// the repository itself is never removed, and neither is a tree that others share
		if (gone || shared || agent.workspace?.kind === "main")
			return await this.#steps.send({ ...command, force: request.force }, by);
		const waiting = (await this.#parts.reads.queueEnds(agent.id)).length;
		if (waiting > 0 && !request.force) return await this.#steps.send({ ...command, force: false }, by);
		// during the lease no prompt is accepted, so none is lost
		const removed = await this.#steps.leased(agent, "delete", by, async (checkout, control) => {
			const result = await this.#parts.workspaces.remove(checkout, {
				...control,
				force: request.force,
				deleteBranch: request.deleteBranch,
			});
			return isRefusal(result) ? result : ((await this.#steps.send({ ...command, force: true }, by)) ?? result);
		});
		return isRefusal(removed) ? removed : null;
	}

	/** A process that is kept would stay in the folder, and in its sandbox in the git folder, that was there before. */
	async endProcesses({ workspace }: Checkout): Promise<void> {
		for (const each of await this.#parts.reads.agents({ life: "living" }))
			if (each.workspace?.path === workspace.path) await this.#parts.driver?.end(each.id);
	}
}
