// Projects that do not work now, and why. A failed check is reported as that project's problem; the others are still
// checked.
import type { ProjectSlug } from "#contract/ids.ts";
import { messageOf } from "#contract/message-of.ts";
import { isOwn, type NodeEpoch } from "#contract/node.ts";
import type { ProjectState } from "#contract/project.ts";
import { configProblem, differentSettings } from "#contract/project-config.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { shellWord } from "#contract/shell-word.ts";
import type { HealthProblem } from "#contract/workspace.ts";
import { doneWithin } from "../loop/time-limits.ts";
import type { Dispatch } from "../ports/dispatch.ts";
import type { IssueWork } from "../ports/issue-work.ts";
import { caught, type Log } from "../ports/log.ts";
import type { Reads } from "../ports/store.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { projectRepository } from "./checkout.ts";
import { loadWorkSettings } from "./work-settings.ts";

interface Parts {
	reads: Reads;
	dispatch: Dispatch;
	issueWork: IssueWork;
	workspaces: Workspaces | null;
	log: Log;
	/** this node: only what belongs to it is acted on; everything, if null */
	node: NodeEpoch | null;
}

/** projects that are checked at the same time */
const atOnce = 8;
const timeoutMs = 300;
/** A repository that git cannot read within this time has a problem until git answers. */
const answerMs = 3000;

export class ProjectProblems {
	readonly #parts: Parts;
	readonly #known = new Map<ProjectSlug, HealthProblem>();
	#looking: Promise<void> | null = null;
	/** checks that have not ended: a repository that never answers is not checked again */
	readonly #pending = new Map<ProjectSlug, Promise<unknown>>();

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	/** As of the last check. */
	of(slug: ProjectSlug | null): HealthProblem | null {
		return (slug === null ? undefined : this.#known.get(slug)) ?? null;
	}

	async lookAtAll(): Promise<void> {
		const projects = await this.#parts.reads.projects();
		for (const slug of this.#known.keys())
			if (!projects.some((project) => project.slug === slug && project.removedAt === null)) this.#known.delete(slug);
		const { node } = this.#parts;
		const isHere = (each: ProjectState): boolean =>
			isOwn(node, each) || (each.sites ?? []).some((site) => site.node === node?.node);
		const present = projects.filter((each) => each.removedAt === null && isHere(each));
		for (let at = 0; at < present.length; at += atOnce)
			await Promise.all(present.slice(at, at + atOnce).map((project) => this.#lookBriefly(project)));
	}

	/** Waits for a check for `answerMs` at most; a later result replaces the one given here. */
	async #lookBriefly(project: ProjectState): Promise<void> {
		const { slug, path } = project;
		const look = this.#pending.get(slug) ?? this.look(project).finally(() => this.#pending.delete(slug));
		this.#pending.set(slug, look);
		const text = `${slug}: git has not answered for ${answerMs / 1000} s in ${path}`;
		if (!(await doneWithin(answerMs, look)))
			this.#found(slug, { code: "REPOSITORY_UNUSABLE", text, fix: `git -C ${shellWord(path)} status` });
	}

	/** All known problems, after another check; one that takes long is not waited for. */
	async again(): Promise<readonly (HealthProblem & { project: ProjectSlug })[]> {
		if (this.#looking === null && this.#known.size > 0) {
			this.#looking = this.#lookAtKnown()
				.catch(caught(this.#parts.log, "projects", "Projects could not be looked at"))
				.finally(() => {
					this.#looking = null;
				});
		}
		if (this.#looking !== null) await doneWithin(timeoutMs, this.#looking);
		return [...this.#known].map(([project, problem]) => ({ project, ...problem }));
	}

	async #lookAtKnown(): Promise<void> {
		const projects = (await this.#parts.reads.projects()).filter(({ slug }) => this.#known.has(slug));
		await Promise.all(projects.map((project) => this.look(project)));
	}

	/** Checks its repository and reads its configuration of issues into its row. Never throws. */
	async look(project: ProjectState): Promise<HealthProblem | null> {
		const { workspaces, reads, dispatch, issueWork, node } = this.#parts;
		try {
			if (!isOwn(node, project)) return this.#found(project.slug, await this.#siteProblem(project));
			const unusable = (await workspaces?.problem(projectRepository(project))) ?? null;
			if (unusable !== null) return this.#found(project.slug, unusable);
			const wrong = await loadWorkSettings(project.slug, { reads, dispatch, issueWork });
			return this.#found(project.slug, wrong === null ? null : configProblem(project.slug, wrong.message));
		} catch (error) {
			this.#parts.log.warn("projects", "A project could not be looked at", { project: project.slug }, error);
			const message = messageOf(error);
			return this.#found(project.slug, configProblem(project.slug, message));
		}
	}

	/** What this node's file says of a project whose home node is another one does not count. */
	async #siteProblem(project: ProjectState): Promise<HealthProblem | null> {
		const { workspaces, reads, node } = this.#parts;
		const { slug, homeConfig, node: home } = project;
		const here = projectRepository(project, node?.node ?? null);
		const unusable = (await workspaces?.problem(here)) ?? null;
		const own = unusable === null ? ((await workspaces?.sites.ownConfig(here)) ?? null) : null;
		if (unusable !== null || own === null) return unusable;
		if (isRefusal(own)) return configProblem(slug, own.message);
		// a sandbox is also made where only this node asks for it
		const { sandbox, ...rest } = own;
		const said = { ...rest, ...(sandbox === "off" && { sandbox }) };
		const ignored = differentSettings(homeConfig ?? {}, { ...homeConfig, ...said });
		if (homeConfig === undefined || ignored.length === 0) return null;
		const { name = home } = (home === null ? undefined : await reads.node(home)) ?? {};
		return {
			code: "PROJECT_CONFIG",
			text: `${slug}: projects/${slug}/config.yaml of this node says ${ignored.join(", ")}. That is not used: the settings of its home node, ${name}, are`,
			fix: `edit projects/${slug}/config.yaml at node ${name}, and remove that here`,
		};
	}

	/** The same, as a refusal. */
	async refusal(project: ProjectState): Promise<Refusal | null> {
		const problem = await this.look(project);
		return problem === null ? null : refusalOf(problem);
	}

	#found(slug: ProjectSlug, problem: HealthProblem | null): HealthProblem | null {
		const before = this.#known.get(slug);
		if (problem === null) this.#known.delete(slug);
		else this.#known.set(slug, problem);
		if (problem !== null && before?.text !== problem.text)
			this.#parts.log.warn("projects", problem.text, { project: slug });
		if (problem === null && before !== undefined)
			this.#parts.log.info("projects", `${slug}: works again`, { project: slug });
		return problem;
	}
}

/** The caller can fix both: a missing repository, or a wrong configuration file. */
export const refusalOf = ({ code, text, fix }: HealthProblem): Refusal =>
	refuse(code === "PROJECT_CONFIG" ? "VALIDATION_ERROR" : "REPOSITORY_UNUSABLE", text, { suggestions: [fix] });
