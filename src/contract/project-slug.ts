// Whether a text can be the slug of a project, for those who would have to load zod for it.
import type { ProjectSlug } from "./ids.ts";
import { nameShape } from "./name-rule.ts";

export const isProjectSlug = (text: string): text is ProjectSlug => nameShape.test(text);
