// Agent types: the vendors' by name, and what sets Brood's own apart. All but `shell`, `scripted` and `human` have a
// model that reads their prompt.

/** The vendors' agents that Brood installs and drives; `adapters/driver/vendors` describes each. */
export const vendorTypes = ["claude", "codex", "gemini", "opencode"] as const;
export type VendorType = (typeof vendorTypes)[number];

/**
 * Types that execute their prompt: the author of the prompt runs commands with the user's rights. They are given an
 * issue only by name, and prompts only by agents that could run the same commands without asking.
 */
export const executesPrompt = (type: string): boolean => ["shell", "scripted"].includes(type);

/** Types that take no model: a shell, and human agents. */
export const takesNoModel = (type: string): boolean => type === "shell" || type === "human";

/** Types whose programs get the reason for a denial with the answer; all others get it as a prompt. */
export const getsDenialReasons = (type: string): boolean => ["llm", "scripted", "shell"].includes(type);

/** Whether mail may wake an agent of this type. `shell` would execute it; people check their mail themselves. */
export const wokenByMail = (type: string): boolean => type !== "shell" && type !== "human";

/** How to name an agent type: for a new agent, or for all of a project; without one, for all children of agent 0. */
export const typeSuggestions = (project: string | undefined): string[] =>
	project === undefined
		? ["brood agent add --type claude", "brood agent configure init --type claude"]
		: [`brood agent add --project ${project} --type claude`, `brood project configure ${project} --type claude`];
