// How a project's issues are worked on, as files and commands say it.
import { z } from "zod";
import { Policy } from "./approval.ts";
import { AgentType } from "./ids.ts";
import { PresetName } from "./preset.ts";

/** Settings for work on issues, from a command or a file; absent ones have their default. */
export const IssuesConfig = z.strictObject({
	preset: PresetName.optional(),
	agentsMax: z.int().positive().max(1000).optional(),
	context: z.enum(["clear", "keep"]).optional(),
	agentType: AgentType.optional(),
	policy: Policy.optional(),
});
export type IssuesConfig = z.infer<typeof IssuesConfig>;
