import type { Happened } from "#contract/event.ts";
import type { ProjectAdd, ProjectFact, ProjectState } from "#contract/project.ts";
import { refuse } from "#contract/refusal.ts";
import type { Decision } from "./decision.ts";

export function decideAddProject(existing: ProjectState | undefined, command: ProjectAdd): Decision {
	if (existing !== undefined && existing.removedAt === null) {
		return refuse("CONFLICT", `There is already a project ${command.slug}.`, { suggestions: [`brood project show ${command.slug}`] });
	}
	return [{ kind: "project.added", agent: null, data: { slug: command.slug, path: command.path } }];
}

export function decideRemoveProject(existing: ProjectState | undefined, slug: string, livingAgents: number): Decision {
	if (existing === undefined || existing.removedAt !== null) {
		return refuse("NOT_FOUND", `There is no project ${slug}.`, { suggestions: ["brood project list"] });
	}
	if (livingAgents > 0) {
		return refuse("CONFLICT", `${livingAgents} agents of ${slug} are still alive.`, {
			details: { livingAgents },
			suggestions: [`brood agent list --project ${slug}`],
		});
	}
	return [{ kind: "project.removed", agent: null, data: { slug: existing.slug } }];
}

export function evolveProject(state: ProjectState | undefined, event: Happened<ProjectFact>): ProjectState {
	switch (event.kind) {
		case "project.added":
			return { ...event.data, addedAt: event.at, removedAt: null };
		case "project.removed":
			if (state === undefined) throw new Error(`project.removed of ${event.data.slug}, which was never added`);
			return { ...state, removedAt: event.at };
	}
}
