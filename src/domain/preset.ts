// Presets: look one up, validate it, and answer where an issue may move. A broken preset is reported as broken, and so
// is every issue that uses it.
import type { LoadedPreset, Preset, Stage, StageName } from "#contract/preset.ts";
import { Preset as PresetSchema } from "#contract/preset.ts";
import type { WorkSettings } from "#contract/project.ts";
import { shipped } from "./presets.ts";

/** The variables of a prompt template, as in `{{title}}`. */
export const templateVariables = ["project", "number", "title", "body", "stage", "branch"] as const;
export type TemplateVariable = (typeof templateVariables)[number];

/** The project's preset, else the shipped one of that name. */
export function presetNamed({ presets }: Pick<WorkSettings, "presets">, name: string): LoadedPreset {
	const own = Object.hasOwn(presets, name) ? presets[name] : undefined;
	const ours = Object.hasOwn(shipped, name) ? shipped[name] : undefined;
	return own ?? (ours === undefined ? { broken: `there is no preset ${name}` } : { preset: ours });
}

/** Parses a preset from a file; answers it, or what is wrong with it. */
export function loadPreset(written: unknown): LoadedPreset {
	const parsed = PresetSchema.safeParse(written);
	if (!parsed.success) {
		const [issue] = parsed.error.issues;
		return { broken: [issue?.path.join("."), issue?.message].filter(Boolean).join(": ") };
	}
	const [wrong] = problemsOf(parsed.data);
	return wrong === undefined ? { preset: parsed.data } : { broken: wrong };
}

/** All problems of a preset, as sentences. */
export function problemsOf(preset: Preset): string[] {
	const names = preset.stages.map(({ name }) => name);
	const twice = names.find((name, at) => names.indexOf(name) !== at);
	if (twice !== undefined) return [`there are two stages ${twice}`];
	const unknown = preset.stages.flatMap((stage) =>
		waysOut(stage).flatMap((to) => (names.includes(to) ? [] : `${stage.name} leads to ${to}, which is not a stage`)),
	);
	if (unknown.length > 0) return unknown;
	const reached = reachable(preset);
	return [
		...names.filter((name) => !reached.has(name)).map((name) => `${name} is reached from nowhere`),
		...preset.stages.flatMap((stage) => problemsOfStage(preset, stage)),
		...withoutWork(preset),
	];
}

/** A stage whose prompt was forgotten looks like one where issues wait until they are started. */
function withoutWork(preset: Preset): string[] {
	const skipped = stagesBeforeStart(preset).slice(1).at(-1);
	const first = firstWork(preset);
	if (skipped === undefined || first === undefined || onwards(preset, first).some(({ prompt }) => prompt)) return [];
	return [`${skipped.name} has no prompt and no gate: an issue would reach ${first.name} without any work`];
}

function problemsOfStage(preset: Preset, stage: Stage): string[] {
	const { name, prompt, gate, next, final } = stage;
	const first = name === preset.stages[0]?.name;
	if (final === true) {
		const works = prompt !== undefined || gate !== undefined || next !== undefined || first;
		return works ? [`${name} is final: it is not the first one and has no prompt, gate or next`] : [];
	}
	return [
		...(leadsToTheEnd(preset, name)
			? []
			: [`${name} has no way out: following next from it never reaches a final stage`]),
		...(first && (prompt !== undefined || gate !== undefined)
			? [`${name} is where issues begin: it has no prompt and no gate`]
			: []),
		...(prompt === undefined && gate === undefined && !isBeforeStart(preset, name)
			? [`${name} has no prompt and no gate: nobody would ever move it on`]
			: []),
		...(prompt === undefined
			? []
			: unknownVariables(prompt).map(
					(variable) => `the prompt of ${name} asks for {{${variable}}}, which does not exist`,
				)),
	];
}

const unknownVariables = (template: string): string[] => {
	const known: readonly string[] = templateVariables;
	return [...template.matchAll(/\{\{([^{}]*)\}\}/g)]
		.map(([, name = ""]) => name.trim())
		.filter((name) => !known.includes(name));
};

const leadsToTheEnd = (preset: Preset, from: StageName): boolean =>
	onwards(preset, stageOf(preset, from)).some(({ final }) => final === true);

/** The stage and those after it, each once. */
function onwards(preset: Preset, from: Stage | undefined): Stage[] {
	const seen = new Set<Stage>();
	for (
		let at = from;
		at !== undefined && !seen.has(at);
		at = at.next === undefined ? undefined : stageOf(preset, at.next)
	)
		seen.add(at);
	return [...seen];
}

function reachable(preset: Preset): ReadonlySet<StageName> {
	const reached = new Set<StageName>(preset.stages.slice(0, 1).map(({ name }) => name));
	for (const name of reached) for (const to of waysOut(stageOf(preset, name))) reached.add(to);
	return reached;
}

const waysOut = (stage: Stage | undefined): StageName[] =>
	[stage?.next, stage?.back, ...(stage?.also ?? [])].filter((name) => name !== undefined);

export const stageOf = (preset: Preset, name: string): Stage | undefined =>
	preset.stages.find((stage) => stage.name === name);

/** The first stage, and those after it that have no prompt and no gate: issues wait there until they are started. */
export function stagesBeforeStart(preset: Preset): Stage[] {
	const stages = onwards(preset, preset.stages[0]);
	const at = stages.findIndex(
		(stage) => stage.prompt !== undefined || stage.gate !== undefined || stage.final === true,
	);
	return stages.slice(0, at < 0 ? stages.length : at);
}

/** Whether no work happens up to this stage. */
export const isBeforeStart = (preset: Preset, name: string): boolean =>
	stagesBeforeStart(preset).some((stage) => stage.name === name);

/** The first stage with a prompt or a gate. */
export const firstWork = (preset: Preset): Stage | undefined =>
	onwards(preset, preset.stages[0])[stagesBeforeStart(preset).length];

/** Where a person may move an issue. Into a final stage it goes only by a merge. */
export function movesFrom(preset: Preset, name: string): StageName[] {
	const stage = stageOf(preset, name);
	return [...new Set(waysOut(stage))].filter((to) => to !== name && stageOf(preset, to)?.final !== true);
}

/** What an issue waits for when it enters a stage without a prompt. */
export function waitingIn(stage: Stage): "approval" | "gate" | null {
	return stage.prompt === undefined ? gateOf(stage) : null;
}

export function gateOf({ gate }: Stage): "approval" | "gate" | null {
	return gate === undefined ? null : gate === "human" ? "approval" : "gate";
}
