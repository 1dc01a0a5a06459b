// The project: a git repository under management. Here only its name and place; what Brood does in the
// repository comes with workspaces.
import { z } from "zod";
import { ProjectSlug } from "./ids.ts";

export const ProjectState = z.strictObject({
	slug: ProjectSlug,
	path: z.string(),
	addedAt: z.int(),
	removedAt: z.int().nullable(),
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

export const projectCommands = [ProjectAdd, ProjectRemove] as const;

export const ProjectFact = z.discriminatedUnion("kind", [
	z.object({ kind: z.literal("project.added"), data: z.object({ slug: ProjectSlug, path: z.string() }) }),
	z.object({ kind: z.literal("project.removed"), data: z.object({ slug: ProjectSlug }) }),
]);
export type ProjectFact = z.infer<typeof ProjectFact>;
