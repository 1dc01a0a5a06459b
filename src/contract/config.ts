// The home's `config.yaml`. Everything in it is optional; what is not known is refused, with its place.
import { z } from "zod";
import { AgentType } from "./ids.ts";
import { type Limits, limits } from "./limits.ts";
import { logLevels } from "./log.ts";
import { IssuesConfig } from "./project.ts";
import { RetentionConfig } from "./retention.ts";

/** Every limit by its name, a positive number if it is there. */
const LimitsConfig = z.strictObject(mapLimits(() => z.int().positive().optional()));

/** What keeps an agent's processes together, strongest first. */
export const ContainmentLevel = z.enum(["bubblewrap", "namespace", "groups"]);
export type ContainmentLevel = z.infer<typeof ContainmentLevel>;

export const HomeConfig = z.strictObject({
	port: z.int().min(0).max(65_535).optional(),
	/** the type of agent 0 on a new store */
	agentZero: z.strictObject({ type: AgentType }).optional(),
	/** the best there is, or this one and no other */
	containment: z.enum(["auto", ...ContainmentLevel.options]).optional(),
	limits: LimitsConfig.optional(),
	/** what the daemon writes into its log: this level and those above it */
	log: z.strictObject({ level: z.enum(logLevels) }).optional(),
	/** how long things are kept that nobody refers to any more */
	retention: RetentionConfig.optional(),
	/** workflows that every project may use; each is checked where issues are */
	presets: z.record(z.string(), z.unknown()).optional(),
	/** how issues are worked on where a project says nothing else */
	issues: IssuesConfig.optional(),
});
export type HomeConfig = z.infer<typeof HomeConfig>;

function mapLimits<T>(make: () => T): Record<keyof Limits, T> {
	return Object.fromEntries(Object.keys(limits).map((name) => [name, make()])) as Record<keyof Limits, T>;
}
