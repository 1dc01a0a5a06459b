// A notice: an event that a person wants to be notified of.
import { z } from "zod";

export const noticeKinds = ["approval", "error", "review", "done"] as const;
export type NoticeKind = (typeof noticeKinds)[number];

const Word = z
	.string()
	.min(1)
	.max(4096)
	.regex(/^[^\0]*$/, "a word of a command cannot contain a NUL");

/** The home's `notify:`. */
export const NotifyConfig = z.strictObject({
	/** through `notify-send` or `osascript` */
	desktop: z.boolean().optional(),
	/** a program and its arguments; no shell sees them */
	command: z.array(Word).min(1).max(64).optional(),
	/** all kinds if absent */
	on: z.array(z.enum(noticeKinds)).min(1).max(noticeKinds.length).optional(),
});
export type NotifyConfig = z.infer<typeof NotifyConfig>;

/** What the person's program gets: as JSON, and in variables. */
export interface Notice {
	kind: NoticeKind;
	/** one line */
	title: string;
	/** one line, partly written by an agent */
	text: string;
	/** what to type next */
	next: string;
	/** `project/handle`, or the handle alone */
	agent: string | null;
	/** `project#number` */
	issue: string | null;
	approval: number | null;
	project: string | null;
}
