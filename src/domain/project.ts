import type { Happened } from "#contract/event.ts";
import { type ProjectAdd, type ProjectApprove, type ProjectFact, type ProjectState, type ProjectTune, type Tuning, untuned } from "#contract/project.ts";
import { refuse } from "#contract/refusal.ts";
import type { Decision } from "./decision.ts";

export function decideAddProject(existing: ProjectState | undefined, command: ProjectAdd): Decision {
	if (existing !== undefined && existing.removedAt === null) {
		return refuse("CONFLICT", `There is already a project ${command.slug}.`, { suggestions: [`brood project show ${command.slug}`] });
	}
	return [{ kind: "project.added", agent: null, data: { slug: command.slug, path: command.path, base: command.base, url: command.url } }];
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

export function decideApproveConfig(existing: ProjectState | undefined, { slug, fingerprint }: ProjectApprove): Decision {
	if (existing === undefined || existing.removedAt !== null)
		return refuse("NOT_FOUND", `There is no project ${slug}.`, { suggestions: ["brood project list"] });
	return existing.approved.includes(fingerprint) ? [] : [{ kind: "project.approved", agent: null, data: { slug, fingerprint } }];
}

export function decideTune(existing: ProjectState | undefined, command: ProjectTune): Decision {
	const { type: _, slug, ...wish } = command;
	if (existing === undefined || existing.removedAt !== null)
		return refuse("NOT_FOUND", `There is no project ${slug}.`, { suggestions: ["brood project list"] });
	const tuning: Tuning = { ...tuningOf(existing), ...Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined)) };
	const same = JSON.stringify(tuning) === JSON.stringify(tuningOf(existing));
	return same ? [] : [{ kind: "project.tuned", agent: null, data: { slug, tuning } }];
}

export const tuningOf = ({ auto, agentsMax, context, preset, agentType, onLimit, quiet, presets }: ProjectState): Tuning => ({
	...{ auto, agentsMax, context, preset, agentType, onLimit, quiet, presets },
});

export function evolveProject(state: ProjectState | undefined, event: Happened<ProjectFact>): ProjectState {
	switch (event.kind) {
		case "project.added":
			return { ...untuned, ...event.data, approved: [], addedAt: event.at, removedAt: null };
		case "project.tuned":
			if (state === undefined) throw new Error(`project.tuned of ${event.data.slug}, which was never added`);
			return { ...state, ...event.data.tuning };
		case "project.removed":
		case "project.approved":
			if (state === undefined) throw new Error(`${event.kind} of ${event.data.slug}, which was never added`);
			return event.kind === "project.removed" ? { ...state, removedAt: event.at } : { ...state, approved: [...state.approved, event.data.fingerprint] };
	}
}
