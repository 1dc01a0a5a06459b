// A board with columns for each preset: issues move only between the stages of their own workflow.
import type { Issue } from "#contract/issue-wire.ts";
import type { BoardColumn } from "#contract/overviews.ts";
import type { Stage } from "#contract/preset.ts";
import type { ProjectState } from "#contract/project.ts";
import { firstWork, presetNamed } from "#domain/preset.ts";
import { withoutOldDone } from "./overviews.ts";

export interface PresetColumn extends BoardColumn {
	/** the issues of all presets in a stage of this name, which is what its limit counts */
	inStage: number;
}

export interface PresetBoard {
	preset: string;
	columns: readonly PresetColumn[];
}

/** Those of the presets that issues use, the project's first; the project's alone if there are no issues. */
export function presetBoards(all: readonly Issue[], project: ProjectState): PresetBoard[] {
	const shown = withoutOldDone(all);
	const used = Map.groupBy(shown, ({ preset }) => preset);
	const others = [...used.keys()].filter((name) => name !== project.preset).toSorted();
	const names = used.has(project.preset) || others.length === 0 ? [project.preset, ...others] : others;
	return names.map((preset) => {
		const issues = used.get(preset) ?? [];
		const hasMore = issues.length < all.filter((issue) => issue.preset === preset).length;
		const isOver = preset !== project.preset && issues.every(({ doneAt }) => doneAt !== null);
		const stages = stagesOf(preset, issues, project);
		const columns = stages.map(({ name, wipMax = null }, at) => ({
			...{ stage: name, wipMax, issues: issues.filter(({ stage }) => stage === name) },
			inStage: all.filter(({ stage }) => stage === name).length,
			more: at === stages.length - 1 && hasMore,
		}));
		// a workflow that nothing is left of has no use for its first stages
		return { preset, columns: isOver ? columns.filter((column) => column.issues.length > 0) : columns };
	});
}

/** Why no other issue may enter a stage; null if one may. */
export const whyFull = ({ stage, wipMax, inStage }: Pick<PresetColumn, "stage" | "wipMax" | "inStage">) =>
	wipMax === null || inStage < wipMax
		? null
		: `${stage} is full: it has ${inStage} of at most ${wipMax} issues. Finish one of them first.`;

/** The same of the stage in which the work on an issue begins. */
export function whyNoStart({ preset }: Pick<Issue, "preset">, all: readonly Issue[], project: ProjectState) {
	const loaded = presetNamed(project, preset);
	const first = "preset" in loaded ? firstWork(loaded.preset) : undefined;
	if (first === undefined) return null;
	const inStage = all.filter(({ stage }) => stage === first.name).length;
	return whyFull({ stage: first.name, wipMax: first.wipMax ?? null, inStage });
}

type NamedStage = Pick<Stage, "name" | "wipMax">;

/** With those that issues are in and the preset no longer has, before its last one. */
function stagesOf(preset: string, issues: readonly Issue[], project: ProjectState): readonly NamedStage[] {
	const loaded = presetNamed(project, preset);
	const own: readonly NamedStage[] = "preset" in loaded ? loaded.preset.stages : [];
	const gone = [...new Set(issues.map(({ stage }) => stage))].filter(
		(stage) => !own.some(({ name }) => name === stage),
	);
	return [...own.slice(0, -1), ...gone.toSorted().map((name) => ({ name })), ...own.slice(-1)];
}
