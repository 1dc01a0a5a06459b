// Comments of a reviewer on lines of a diff.
import { z } from "zod";

export const ReviewComment = z.strictObject({
	path: z.string().min(1).max(4096),
	/** the first and the last line, counted from 1; both null for the file as a whole */
	from: z.int().positive().nullable(),
	to: z.int().positive().nullable(),
	/** lines of the file as it was before, or as it is now */
	side: z.enum(["old", "new"]).default("new"),
	/** those lines, as the reviewer saw them */
	code: z.string().max(20_000).default(""),
	text: z.string().min(1).max(20_000),
});
export type ReviewComment = z.infer<typeof ReviewComment>;

export const Review = z.strictObject({
	comments: z.array(ReviewComment).min(1).max(200),
	/** said before the comments */
	summary: z.string().max(20_000).default(""),
});
export type Review = z.infer<typeof Review>;
