// A project whose agents are at several nodes. Its base is the one of its home node: merges are made there, with the
// bundles that an agent's node keeps in the store, and the base of every other node follows.
import { z } from "zod";
import type { AgentState } from "#contract/agent.ts";
import { type AgentId, agentOf, type ProjectSlug, system } from "#contract/ids.ts";
import { isActive, isOwn, type NodeId, nodeDown } from "#contract/node.ts";
import { HomeNodeBase, type ProjectState } from "#contract/project.ts";
import { settingsUnknown } from "#contract/project-config.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { shellWord } from "#contract/shell-word.ts";
import { Synced } from "#contract/wire.ts";
import { Merged } from "#contract/workspace.ts";
import { doneWithin } from "../loop/time-limits.ts";
import type { AskRoute, RouteErrand } from "../ports/ask-route.ts";
import { caught } from "../ports/log.ts";
import type {
	ApproveRequest,
	Checkout,
	FollowedBase,
	HomeNodeBaseRequest,
	HomeNodeCommits,
	ProjectRepository,
} from "../ports/workspace-requests.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { baseOf, projectRepository } from "./checkout.ts";
import type { Requester } from "./steps.ts";
import { bundlesOf, bytesMax, type UploadParts, upload } from "./uploading.ts";

export interface SiteParts extends UploadParts {
	workspaces: Workspaces;
}

const same: FollowedBase = { ahead: 0, notFollowed: null };

/** how long a home node may take to read its file before what it read last counts */
const settingsMs = 3000;

/** A path that no folder has. */
export const nonexistentPath = "/nonexistent/brood";

/** `base`: the project's if absent. */
interface BaseRequest extends Pick<HomeNodeBaseRequest, "have" | "bundle"> {
	base?: string | undefined;
}
type SiteMerge = Pick<ApproveRequest, "commit" | "strategy" | "message">;

export class Sites {
	readonly #parts: SiteParts;
	#askRoute: AskRoute | null = null;

	constructor(parts: SiteParts) {
		this.#parts = parts;
	}

	/** From now on other nodes can be asked. */
	askWith(askRoute: AskRoute): void {
		this.#askRoute = askRoute;
	}

	isHomeNode(project: ProjectState): boolean {
		return isOwn(this.#parts.node, project);
	}

	/** Brings base at this node to that of the project's home node. */
	async follow(project: ProjectState, base: string, by: Requester): Promise<FollowedBase | Refusal> {
		if (this.isHomeNode(project)) return same;
		return await this.#withHomeBase(project, base, by, this.#parts.workspaces.sites.follow, same);
	}

	/** Does something here with the home node's base; answers `none` where that has no commit. */
	async #withHomeBase<T>(
		project: ProjectState,
		base: string,
		by: Requester,
		work: (here: ProjectRepository, base: string, home: HomeNodeCommits) => Promise<T>,
		none: T,
	): Promise<T | Refusal> {
		const here = projectRepository(project, this.#parts.node?.node ?? null);
		const have = await this.#parts.workspaces.sites.knownCommits(here, { base });
		const home = await this.#homeNodeBase(project, { base, have, bundle: true }, by);
		if (isRefusal(home)) return home;
		return home.commit === null ? none : await work(here, base, { commit: home.commit, bundle: home.bundle });
	}

	/** Why base at this node is not that of the project's home node; null if it is now. */
	async behindHomeNode({ project: { slug }, workspace }: Checkout, by: Requester): Promise<Refusal | null> {
		const project = await this.#parts.reads.project(slug);
		if (project === undefined) return null;
		const followed = await this.follow(project, workspace.base, by);
		return isRefusal(followed) ? followed : followed.notFollowed;
	}

	/**
	 * Has the project's home node read its file again, and fetches its base, whose `.brood.yaml` counts here too, if it
	 * answers in time; what was known last counts if not. Refuses where the file was never read: agents may not have less
	 * of a sandbox here than there.
	 */
	async settingsProblem(slug: ProjectSlug): Promise<Refusal | null> {
		const { reads, log } = this.#parts;
		const project = await reads.project(slug);
		if (project === undefined || this.isHomeNode(project)) return null;
		if (this.#askRoute !== null) {
			const failed = caught(log, "settings", "A project's home node could not be asked for its settings", {
				project: slug,
			});
			await doneWithin(settingsMs, this.#askForSettings(project).catch(failed));
		}
		return (await reads.project(slug))?.homeConfig === undefined ? settingsUnknown(slug) : null;
	}

	async #askForSettings(project: ProjectState): Promise<unknown> {
		const [{ workspaces, node }, by] = [this.#parts, { actor: system }];
		const base = await baseOf(workspaces, project, node?.node);
		if (typeof base !== "string") return await this.#homeNodeBase(project, { have: [], bundle: false }, by);
		return await this.#withHomeBase(project, base, by, workspaces.sites.fetchHomeBase, null);
	}

	/** Why this node cannot be the project's home node: its base or its configuration is not that of the present one. */
	async differsFromHomeNode(project: ProjectState, by: Requester): Promise<Refusal | null> {
		const { sites } = this.#parts.workspaces;
		const here = projectRepository(project, this.#parts.node?.node ?? null);
		const home = await this.#homeNodeBase(project, { have: [], bundle: false }, by);
		if (isRefusal(home)) return home;
		const { slug } = project;
		if (home.configDigest !== (await sites.configDigest(here)))
			return refuse("CONFLICT", `projects/${slug}/config.yaml in Brood's home differs between the two nodes.`, {
				details: { project: slug },
				suggestions: [`make projects/${slug}/config.yaml the same on both machines`],
			});
		const followed = await this.follow(project, home.base, by);
		if (isRefusal(followed)) return followed;
		if (followed.notFollowed !== null || followed.ahead === 0) return followed.notFollowed;
		return refuse(
			"CONFLICT",
			`${home.base} in ${here.path} has commits that ${home.base} at the project's home node lacks.`,
			{
				details: { path: here.path, ahead: followed.ahead },
				suggestions: [`git -C ${shellWord(here.path)} log ${home.base} --not refs/brood/home/${home.base}`],
			},
		);
	}

	/** A refusal unless a repository of this node has a history in common with the project's. */
	async foreign(project: ProjectState, path: string, by: Requester): Promise<Refusal | null> {
		const have = await this.#parts.workspaces.sites.knownCommits({ slug: project.slug, path }, "roots");
		const home = await this.#homeNodeBase(project, { have, bundle: false }, by);
		if (isRefusal(home)) return home;
		if (home.known.length > 0) return null;
		return refuse("CONFLICT", `${path} is not a clone of ${project.slug}: the two have no commit in common.`, {
			details: { path, project: project.slug },
			suggestions: [`brood project show ${project.slug}`],
		});
	}

	/** At the home node: what `follow` and `foreign` ask for. */
	async homeNodeBase(project: ProjectState, request: BaseRequest): Promise<HomeNodeBase | Refusal> {
		const { workspaces } = this.#parts;
		const there = projectRepository(project);
		const effective = await workspaces.settings(there, project.approved);
		if (isRefusal(effective)) return effective;
		const base = request.base ?? effective.settings.base;
		return await workspaces.sites.homeNodeBase(there, { ...request, base, bytesMax });
	}

	/** Merges at the project's home node what an agent of this node has committed. */
	async merge(checkout: Checkout, project: ProjectState, request: ApproveRequest, by: Requester) {
		const unready = await this.#notReady(checkout, project, request.commit, by);
		if (unready !== null) return unready;
		const agent = await this.#parts.reads.agent(checkout.agent.id);
		const refused = agent === undefined ? null : await upload(this.#parts, agent);
		if (refused !== null) return refused;
		const { commit, strategy, message } = request;
		const body = { agent: checkout.agent.id, commit, ...(strategy && { strategy }), ...(message && { message }) };
		return await this.#ask(project.node, { route: "siteMerge", params: { project: project.slug }, body }, by, Merged);
	}

	/** At the home node: merges for an agent whose node has looked at its tree, and waits with a lease for the result. */
	async mergeHere(project: ProjectState, id: AgentId, request: SiteMerge): Promise<Merged | Refusal> {
		const { reads, workspaces } = this.#parts;
		const agent = await reads.agent(id);
		if (agent?.workspace == null || agent.project !== project.slug || agent.lease?.step !== "approve")
			return refuse("CONFLICT", "No work of this agent is being merged.", { details: { agent: id } });
		const bundles = await bundlesOf(this.#parts, agent);
		if (isRefusal(bundles)) return bundles;
		const there = projectRepository(project);
		const checkout = { project: there, agent, workspace: { ...agent.workspace, path: nonexistentPath } };
		return await workspaces.approve(checkout, { ...request, bundles, approved: project.approved });
	}

	/**
	 * Brings base and the agents of other nodes up to date, each node its own; `found` gets what is said of each. Never
	 * rejects.
	 */
	async syncOthers(
		agents: readonly AgentState[],
		{ slug, sites = [], node: home }: ProjectState,
		by: Requester,
		found: Map<AgentId, Pick<Synced, "updated" | "text"> | null>,
	): Promise<void> {
		const { node: me, log } = this.#parts;
		const nodes = new Set([home, ...sites.map(({ node }) => node), ...agents.map(({ node }) => node)]);
		const work = [...nodes].map(async (node) => {
			if (node === null || isOwn(me, { node })) return;
			const asked = { route: "siteSync", params: { project: slug }, body: { node } };
			const synced = await this.#ask(node, asked, by, z.array(Synced)).catch((error: unknown) => {
				caught(log, "sync", "Another node could not be asked to update its agents")(error);
				return refuse("NODE_DOWN", "its node could not be asked");
			});
			for (const { id } of agents.filter((each) => each.node === node)) {
				const text = isRefusal(synced) ? `It is at another node and was not updated: ${synced.message}` : "";
				const told = isRefusal(synced) ? { updated: false, text } : synced.find(({ agent }) => agent === id);
				found.set(id, told ?? null);
			}
		});
		await Promise.all(work);
	}

	/** A merge at the home node updates no agents: this asks it to. */
	async syncFromHomeNode(project: ProjectState, by: Requester): Promise<Synced[]> {
		const answer = z.object({ synced: z.array(Synced) });
		const asked = { route: "syncProject", params: { project: project.slug } };
		const found = await this.#ask(project.node, asked, by, answer);
		return isRefusal(found) ? [] : found.synced;
	}

	async #notReady(checkout: Checkout, project: ProjectState, commit: string, by: Requester): Promise<Refusal | null> {
		const { workspaces } = this.#parts;
		const { base, branch } = checkout.workspace;
		const followed = await this.follow(project, base, by);
		if (isRefusal(followed)) return followed;
		const name = `${project.slug}/${checkout.agent.handle}`;
		if (followed.ahead > 0)
			return refuse(
				"CONFLICT",
				`${base} in ${checkout.project.path} has ${followed.ahead === 1 ? "1 commit" : `${followed.ahead} commits`} that ${base} at the project's home node lacks. They would be merged unseen.`,
				{
					details: { path: checkout.project.path, ahead: followed.ahead },
					suggestions: [`git -C ${shellWord(checkout.project.path)} log ${base} --not refs/brood/home/${base}`],
				},
			);
		const dirty = await workspaces.uncommitted(checkout);
		if (dirty !== null) return dirty;
		const status = await workspaces.branchStatus(checkout);
		if (isRefusal(status)) return status;
		if (status.head === commit) return null;
		return refuse("CONFLICT", `${branch} is not on the commit that was reviewed any more.`, {
			details: { reviewed: commit, head: status.head },
			suggestions: [`brood agent diff ${name}`, `brood agent approve ${name}`],
		});
	}

	async #homeNodeBase(
		{ node, slug }: ProjectState,
		{ base, have, bundle }: BaseRequest,
		by: Requester,
	): Promise<HomeNodeBase | Refusal> {
		const query = { have: have.join(), bundle: String(bundle), ...(base !== undefined && { base }) };
		return await this.#ask(node, { route: "projectBase", params: { project: slug }, query }, by, HomeNodeBase);
	}

	async #ask<T>(
		id: NodeId | null,
		asked: Omit<RouteErrand, "actor" | "role">,
		{ actor }: Requester,
		schema: z.ZodType<T>,
	): Promise<T | Refusal> {
		const node = id === null ? undefined : await this.#parts.reads.node(id);
		const ask = this.#askRoute;
		if (node === undefined || ask === null) throw new Error(`node ${id} cannot be asked`);
		if (!isActive(node)) return nodeDown(node);
		const role = agentOf(actor) === null ? "member" : null;
		const answer = await ask(node, { ...asked, actor, role });
		return isRefusal(answer) ? answer : schema.parse(answer.data);
	}
}
