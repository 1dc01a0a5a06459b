// The project: a git repository under management. Here only its name and place; what Brood does in the
// repository comes with workspaces.
import { z } from "zod";
import { ProjectSlug } from "./ids.ts";
import { LoadedPreset, PresetName } from "./preset.ts";

/** How issues of this project are worked on. */
const Tuning = z.strictObject({
	/** whether issues that are ready flow through their stages by themselves */
	auto: z.boolean(),
	/** so many living agents it may have before no more are made for issues */
	agentsMax: z.int().positive().max(1000),
	/** whether an agent's context is cleared when it is released from an issue */
	context: z.enum(["clear", "keep"]),
	/** of issues that name none */
	preset: PresetName,
	/** its own workflows by name, checked or with what is wrong with them */
	presets: z.record(PresetName, LoadedPreset),
});
export type Tuning = z.infer<typeof Tuning>;
export const untuned: Tuning = { auto: false, agentsMax: 3, context: "clear", preset: "lean", presets: {} };

export const ProjectState = z.strictObject({
	slug: ProjectSlug,
	path: z.string(),
	addedAt: z.int(),
	removedAt: z.int().nullable(),
	...Tuning.shape,
});
export type ProjectState = z.infer<typeof ProjectState>;

const ProjectAdd = z.strictObject({
	type: z.literal("project.add"),
	slug: ProjectSlug,
	path: z.string().regex(/^\/[^\0]{0,4095}$/, "a project's path is absolute"),
});
export type ProjectAdd = z.infer<typeof ProjectAdd>;
const ProjectRemove = z.strictObject({ type: z.literal("project.remove"), slug: ProjectSlug });
export type ProjectRemove = z.infer<typeof ProjectRemove>;

/** What is not named stays as it is. */
const ProjectTune = z.strictObject({ type: z.literal("project.tune"), slug: ProjectSlug, ...Tuning.partial().shape });
export type ProjectTune = z.infer<typeof ProjectTune>;

export const projectCommands = [ProjectAdd, ProjectRemove, ProjectTune] as const;

export const ProjectFact = z.discriminatedUnion("kind", [
	z.object({ kind: z.literal("project.added"), data: z.object({ slug: ProjectSlug, path: z.string() }) }),
	z.object({ kind: z.literal("project.tuned"), data: z.object({ slug: ProjectSlug, tuning: Tuning }) }),
	z.object({ kind: z.literal("project.removed"), data: z.object({ slug: ProjectSlug }) }),
]);
export type ProjectFact = z.infer<typeof ProjectFact>;
