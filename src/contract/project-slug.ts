// Checks a project's slug without loading zod.
import type { ProjectSlug } from "./ids.ts";
import { nameShape } from "./name-rule.ts";

export const isProjectSlug = (text: string): text is ProjectSlug => nameShape.test(text);
