// What `terminal.json` in the home has: what the terminal keeps over a restart.
import { z } from "zod";

const TextCursor = z.object({ line: z.int().nonnegative(), column: z.int().nonnegative() });
const WrittenText = z.object({ text: z.string(), cursor: TextCursor });
export const Preferences = z.object({
	/** the mouse scrolls, opens and selects */
	mouse: z.boolean().catch(true),
	/** goes to an agent that was forked or added, and away from one that was killed */
	follow: z.boolean().catch(true),
});
export type Preferences = z.infer<typeof Preferences>;

/** A damaged part is as good as none: only conveniences are in it. Each file has objects of its own, which change. */
export const Saved = z.object({
	/** what was left unsent, by agent */
	drafts: z.record(z.string(), WrittenText).catch(() => ({})),
	/** what each running terminal has changed and not sent, by terminal and agent */
	writing: z.record(z.string(), z.record(z.string(), WrittenText)).catch(() => ({})),
	/** the prompt of each agent's queue that is being edited, beside what is written to the agent */
	edits: z.record(z.string(), WrittenText.extend({ prompt: z.int() })).catch(() => ({})),
	/** what was sent to an agent and not answered, with its idempotency key */
	unanswered: z.record(z.string(), z.object({ text: z.string(), key: z.string() })).catch(() => ({})),
	anchors: z.record(z.string(), z.object({ block: z.int(), row: z.int().nonnegative() })).catch(() => ({})),
	/** blocks of conversations that are shown in full, the last ones */
	opened: z.array(z.int()).catch(() => []),
	/** the agent that was shown last, by project */
	last: z.record(z.string(), z.string()).catch(() => ({})),
	/** files of diffs that were viewed, the last ones */
	viewed: z.array(z.string()).catch(() => []),
	preferences: Preferences.catch(() => ({ mouse: true, follow: true })),
});
export type Saved = z.infer<typeof Saved>;
