// A board with columns for each preset: issues move only between the stages of their own workflow.
import type { Issue } from "#contract/issue-wire.ts";
import type { BoardColumn } from "#contract/overviews.ts";
import type { Stage } from "#contract/preset.ts";
import type { ProjectState } from "#contract/project.ts";
import { presetNamed } from "#domain/preset.ts";
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

/** Whether no other issue may enter a stage. */
export const isFull = ({ wipMax, inStage }: PresetColumn): boolean => wipMax !== null && inStage >= wipMax;

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
