import { hasStepDue, type IssueState } from "#contract/issue.ts";
import type { IssuesConfig } from "#contract/issues-config.ts";
import { type NodeId, type NodeState, nodeDown, noNode, noOtherNode } from "#contract/node.ts";
import {
	defaultWorkSettings,
	noProject,
	type ProjectAdd,
	type ProjectApprove,
	type ProjectConfigure,
	type ProjectMove,
	type ProjectRemove,
	type ProjectState,
	type SiteAdd,
	type SiteRemove,
	type WorkSettings,
} from "#contract/project.ts";
import { refuse } from "#contract/refusal.ts";
import type { Decision } from "./decision.ts";

/** The project that a command names, if there is or was one. */
interface Named {
	project: ProjectState | undefined;
}

export function decideAddProject(
	{ project: existing }: Named,
	command: ProjectAdd,
	by: { node: NodeId | null },
): Decision {
	if (existing !== undefined && existing.removedAt === null) {
		return refuse("CONFLICT", `There is already a project ${command.slug}.`, {
			suggestions: [`brood project show ${command.slug}`],
		});
	}
	return [
		{
			kind: "project.added",
			agent: null,
			data: {
				slug: command.slug,
				path: command.path,
				base: command.base,
				url: command.url,
				...(by.node !== null && { node: by.node }),
			},
		},
	];
}

export function decideRemoveProject(
	{ project: existing, living }: Named & { living: number },
	{ slug }: ProjectRemove,
): Decision {
	if (existing === undefined || existing.removedAt !== null) return noProject(slug);
	if (living > 0) {
		return refuse(
			"CONFLICT",
			`${living === 1 ? "1 agent" : `${living} agents`} of ${slug} ${living === 1 ? "is" : "are"} still alive.`,
			{
				details: { livingAgents: living },
				suggestions: [`brood agent list --project ${slug}`],
			},
		);
	}
	return [{ kind: "project.removed", agent: null, data: { slug: existing.slug } }];
}

export function decideApproveConfig({ project: existing }: Named, { slug, fingerprint }: ProjectApprove): Decision {
	if (existing === undefined || existing.removedAt !== null) return noProject(slug);
	return existing.approved.includes(fingerprint)
		? []
		: [{ kind: "project.approved", agent: null, data: { slug, fingerprint } }];
}

export function decideConfigureProject({ project: existing }: Named, command: ProjectConfigure): Decision {
	const { slug } = command;
	if (existing === undefined || existing.removedAt !== null) return noProject(slug);
	const {
		preset,
		agentsMax,
		context,
		agentType,
		policy,
		onLimit = existing.onLimit,
		auto = existing.auto,
		quiet = existing.quiet,
		presets = existing.presets,
		homeConfig = existing.homeConfig,
	} = command;
	const written = normalised(command.written ?? existing.written);
	const chosen = normalised({ ...existing.chosen, ...defined({ preset, agentsMax, context, agentType, policy }) });
	const set = { ...chosen, ...written };
	const inForce = {
		...{
			preset: set.preset ?? defaultWorkSettings.preset,
			agentsMax: set.agentsMax ?? defaultWorkSettings.agentsMax,
		},
		...{
			context: set.context ?? defaultWorkSettings.context,
			agentType: set.agentType ?? defaultWorkSettings.agentType,
			policy: set.policy ?? defaultWorkSettings.policy,
		},
	};
	const settings: WorkSettings = {
		auto,
		quiet,
		presets,
		onLimit: onLimit ?? defaultWorkSettings.onLimit,
		...inForce,
		chosen,
		written,
		...(homeConfig && { homeConfig }),
	};
	const same =
		JSON.stringify(workSettingsOf({ ...existing, ...settings })) === JSON.stringify(workSettingsOf(existing));
	return same ? [] : [{ kind: "project.configured", agent: null, data: { slug, settings } }];
}

/** In a fixed order, so that equal settings compare equal; null resets one to its default. */
function normalised({
	preset,
	agentsMax,
	context,
	agentType,
	policy,
}: { [Key in keyof IssuesConfig]: IssuesConfig[Key] | null }): IssuesConfig {
	return {
		...(preset != null && { preset }),
		...(agentsMax != null && { agentsMax }),
		...(context != null && { context }),
		...(agentType != null && { agentType }),
		...(policy != null && { policy }),
	};
}

const defined = <T extends object>(request: T): Partial<T> => {
	const found: Partial<T> = { ...request };
	for (const key of Object.keys(found)) if (Reflect.get(found, key) === undefined) Reflect.deleteProperty(found, key);
	return found;
};

export const workSettingsOf = ({
	auto,
	agentsMax,
	context,
	preset,
	agentType,
	policy,
	onLimit,
	quiet,
	presets,
	chosen,
	written,
	homeConfig,
}: ProjectState): WorkSettings => ({
	...{ auto, agentsMax, context, preset, agentType, policy, onLimit, quiet, presets, chosen, written },
	...(homeConfig && { homeConfig }),
});

export function decideAddSite(
	{ project, node }: Named & { node: NodeState | undefined },
	{ project: slug, path, ...command }: SiteAdd,
): Decision {
	if (project === undefined || project.removedAt !== null) return noProject(slug);
	if (node === undefined) return noNode(command.node);
	if (project.node === node.id)
		return refuse(
			"CONFLICT",
			`Node ${node.name} is the home node of project ${slug}: its repository is ${project.path}.`,
			{
				suggestions: [`brood project show ${slug}`],
			},
		);
	if (project.sites?.some((each) => each.node === node.id && each.path === path)) return [];
	return [{ kind: "site.added", agent: null, data: { project: slug, node: node.id, path } }];
}

/** Branches of issues are in the repository of its home node, and the folders of those that are worked on. */
export function decideMoveProject(
	{ project, node, issues }: Named & { node: NodeState | undefined; issues: readonly IssueState[] },
	{ slug, from, path }: ProjectMove,
	by: { node: NodeId | null },
): Decision {
	if (project === undefined || project.removedAt !== null) return noProject(slug);
	if (node === undefined) return by.node === null ? noOtherNode() : noNode(by.node);
	if (node.state !== "up") return nodeDown(node);
	if (project.node === node.id) return [];
	if (project.node !== from || !project.sites?.some((each) => each.node === node.id && each.path === path))
		return refuse("CONFLICT", `${slug} has changed while it was being moved. Nothing was moved; try again.`);
	const begun = issues.filter((each) => hasStepDue(each) || (each.branch !== null && each.mergedCommit === null));
	if (begun.length > 0)
		return refuse(
			"CONFLICT",
			`${slug} cannot be moved while ${begun.length === 1 ? "an issue of it has" : `${begun.length} issues of it have`} work that is not merged.`,
			{ details: { issues: begun.map(({ number }) => number) }, suggestions: [`brood issue list --project ${slug}`] },
		);
	const data = { slug, node: node.id, path, from: { node: from, path: project.path } };
	return [{ kind: "project.moved", agent: null, data }];
}

/** Agents that were moved there work in it. */
export function decideRemoveSite(
	{ project, living }: Named & { living: number },
	{ project: slug, node }: SiteRemove,
): Decision {
	if (project === undefined || project.removedAt !== null) return noProject(slug);
	if (project.sites?.some((each) => each.node === node) !== true)
		return refuse("NOT_FOUND", `${slug} has no repository at that node.`, {
			suggestions: [`brood project site list ${slug}`],
		});
	if (living > 0)
		return refuse("CONFLICT", `${living === 1 ? "1 agent" : `${living} agents`} of ${slug} live at that node.`, {
			details: { livingAgents: living },
			suggestions: [`brood agent list --project ${slug}`],
		});
	return [{ kind: "site.removed", agent: null, data: { project: slug, node } }];
}
