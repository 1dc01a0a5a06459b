// Commands about projects, and about what git ran in them.
import type { ProjectSlug } from "#contract/ids.ts";
import {
	GitRecord,
	ProjectAdd,
	ProjectApprove,
	ProjectConfigure,
	ProjectMove,
	ProjectRemove,
	SiteAdd,
	SiteRemove,
} from "#contract/project.ts";
import {
	decideAddProject,
	decideAddSite,
	decideApproveConfig,
	decideConfigureProject,
	decideMoveProject,
	decideRemoveProject,
	decideRemoveSite,
} from "#domain/project.ts";
import { defineCommand } from "./define.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

type Named = { slug: ProjectSlug };

const onProject = {
	allowedActors: "people",
	startsWork: false,
	load: async (work: UnitOfWork, { slug }: Named) => ({ project: await work.project(slug) }),
	subject: (_: object, { slug }: Named) => ({ project: slug }),
} as const;

const ofSite = (_: object, { project }: { project: ProjectSlug }) => ({ project });

export const projectDefinitions = {
	"project.add": defineCommand({ ...onProject, schema: ProjectAdd, decide: decideAddProject }),
	"project.configure": defineCommand({ ...onProject, schema: ProjectConfigure, decide: decideConfigureProject }),
	"project.approve": defineCommand({ ...onProject, schema: ProjectApprove, decide: decideApproveConfig }),
	"project.remove": defineCommand({
		...onProject,
		schema: ProjectRemove,
		load: async (work, { slug }) => ({
			project: await work.project(slug),
			living: (await work.tx.agents({ project: slug, life: "living" })).length,
		}),
		decide: decideRemoveProject,
	}),
	"project.move": defineCommand({
		...onProject,
		schema: ProjectMove,
		load: async (work, { slug }) => ({
			project: await work.project(slug),
			node: work.envelope.node == null ? undefined : await work.node(work.envelope.node),
			issues: await work.tx.issuesOfBoard(slug, { doneMax: 0 }),
		}),
		decide: decideMoveProject,
	}),
	"site.add": defineCommand({
		...onProject,
		schema: SiteAdd,
		load: async (work, { project, node }) => ({ project: await work.project(project), node: await work.node(node) }),
		subject: ofSite,
		decide: decideAddSite,
	}),
	"site.remove": defineCommand({
		...onProject,
		schema: SiteRemove,
		load: async (work, { project, node }) => ({
			project: await work.project(project),
			living: (await work.tx.agents({ project, life: "living" })).filter((each) => each.node === node).length,
		}),
		subject: ofSite,
		decide: decideRemoveSite,
	}),
	"git.record": defineCommand({
		schema: GitRecord,
		allowedActors: "daemon",
		startsWork: false,
		load: async () => ({}),
		decide: (_, { runs }) => runs.map((data) => ({ kind: "git.ran", agent: null, data })),
		subject: {},
	}),
};
