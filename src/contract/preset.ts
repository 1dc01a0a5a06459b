// The preset: a workflow as data. Its first stage is where issues begin; a final one is where they end.
import { z } from "zod";
import { Policy } from "./approval.ts";
import { Text } from "./text.ts";

export const StageName = z.string().regex(/^[A-Z][A-Z0-9_]{0,31}$/, "a stage is a word in capitals, like IN_REVIEW");
export type StageName = z.infer<typeof StageName>;
export const PresetName = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, "a preset is a short lower-case word");
export type PresetName = z.infer<typeof PresetName>;

export const AgentSelector = z.strictObject({
	type: z
		.string()
		.regex(/^[a-z][a-z0-9-]{0,31}$/, "an agent type is a short lower-case word")
		.optional(),
	model: z
		.string()
		.regex(/^[\x21-\x7e]{1,100}$/, "a model name has 1 to 100 visible ASCII characters")
		.optional(),
	/** an agent with another policy is passed over; no agent's policy is changed */
	policy: Policy.optional(),
});
export type AgentSelector = z.infer<typeof AgentSelector>;

/** Exit 0 passes, 75 means try again later, anything else sends the issue back with the command's output. */
const CommandGate = z.strictObject({
	command: z
		.string()
		.min(1)
		.max(10_000)
		.regex(/^[^\0]*$/, "a command cannot contain a NUL"),
});
export type CommandGate = z.infer<typeof CommandGate>;

export const Stage = z.strictObject({
	name: StageName,
	/** the stage after its work and its gate; absent only for a final stage */
	next: StageName.optional(),
	/** the stage after a rejection or a failed gate; the stage itself if absent */
	back: StageName.optional(),
	/** further stages that a person may move an issue to; from a final stage this reopens it */
	also: z.array(StageName).max(32).optional(),
	/** the prompt for the agent; a stage without one waits for a person or a gate */
	prompt: Text.min(1).max(100_000).optional(),
	/** what the next stage needs: that a person approves, or a command that succeeds */
	gate: z.union([z.literal("human"), CommandGate]).optional(),
	/** which agents may work on it; like the preset if absent */
	agent: AgentSelector.optional(),
	/** tried in this order when no agent matches `agent` */
	fallbacks: z.array(AgentSelector).max(16).optional(),
	/** how many issues of this stage are worked on at one time, and how many a person can move into it */
	wipMax: z.int().positive().max(1000).optional(),
	final: z.literal(true).optional(),
});
export type Stage = z.infer<typeof Stage>;

export const Preset = z.strictObject({
	description: Text.max(500).optional(),
	agent: AgentSelector.optional(),
	fallbacks: z.array(AgentSelector).max(16).optional(),
	/** the first one is where issues begin */
	stages: z.array(Stage).min(2).max(64),
});
export type Preset = z.infer<typeof Preset>;

/** A checked preset, or what is wrong with it. */
export const LoadedPreset = z.union([
	z.strictObject({ preset: Preset }),
	z.strictObject({ broken: z.string().max(2000) }),
]);
export type LoadedPreset = z.infer<typeof LoadedPreset>;
