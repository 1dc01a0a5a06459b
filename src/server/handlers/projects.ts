// The routes of projects.
import type { CommandInput } from "#contract/command.ts";
import { pageWhere } from "#contract/page.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Project } from "#contract/wire.ts";
import type { Handlers, RequestContext, ScopedRequest } from "../request-context.ts";

export function projectHandlers(context: RequestContext) {
	const { engine, reads } = context;
	return {
		projects: async ({ query, page }) => {
			if (query.check) await engine.problems.lookAtAll();
			return await pageWhere(
				page,
				(part) => reads.listProjects(part),
				async (projects) => projects.map((each) => (each.removedAt === null ? context.project(each) : undefined)),
			);
		},
		project: async ({ params }) => {
			const project = await context.projectNamed(params["project"]);
			return isRefusal(project) ? project : context.project(project);
		},
		projectAdd: async (request) => {
			const { slug, path: source, base } = request.body;
			const opened = await engine.cycle?.workspaces.openProject({
				slug,
				source,
				...(base !== undefined && { base }),
				others: (await reads.projects()).filter((other) => other.removedAt === null && other.slug !== slug),
			});
			if (opened !== undefined && isRefusal(opened)) return opened;
			return await changeProject(context, request, { type: "project.add", slug, ...(opened ?? { path: source }) });
		},
		projectRemove: (request) =>
			changeProject(context, request, { type: "project.remove", slug: request.params["project"] ?? "" }),
	} satisfies Partial<Handlers>;
}

async function changeProject(
	context: RequestContext,
	request: ScopedRequest,
	command: CommandInput,
): Promise<Project | Refusal> {
	const done = await context.dispatch(request, command);
	if (isRefusal(done)) return done;
	const { project } = done;
	return project === undefined
		? refuse("INTERNAL_ERROR", "The command returned no project.")
		: context.project(project);
}
