// Disk usage.
import type { HomeSpace } from "#contract/space.ts";
import { projectRepository } from "#engine/workspaces/checkout.ts";
import type { Handlers, RequestContext } from "../request-context.ts";

export function spaceHandlers(context: RequestContext, home: () => Promise<HomeSpace>): Pick<Handlers, "space"> {
	return {
		space: async () => {
			const workspaces = context.engine.cycle?.workspaces;
			const projects =
				workspaces === undefined ? [] : (await context.reads.projects()).filter(({ removedAt }) => removedAt === null);
			// one after another, since each walks all of its files; a missing repository takes no space
			const found = [];
			for (const project of projects) {
				const space = await workspaces?.space(projectRepository(project, context.engine.nodes.self)).catch(() => null);
				if (space != null) found.push(space);
			}
			return { home: await home(), projects: found };
		},
	};
}
