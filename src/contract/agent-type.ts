// The agent types: those of other vendors, by name, and what is special about Brood's own. Every type but those has a
// model behind it, which reads its prompt.

/** Whose programs Brood installs and drives; `adapters/driver/vendors` describes each. */
export const vendorTypes = ["claude", "codex", "gemini", "opencode"] as const;
export type VendorType = (typeof vendorTypes)[number];

/** Types that execute their prompt: with these, whoever chooses the words runs commands with the user's rights. */
const executing: readonly string[] = ["shell", "scripted"];

/**
 * Such a type is only ever given an issue by somebody who names it, and only gets prompts from agents that could run
 * the same without asking.
 */
export const executesPrompt = (type: string): boolean => executing.includes(type);

/** Types whose programs are told why something was denied, in the answer; to all others the reason goes as a prompt. */
export const getsDenialReasons = (type: string): boolean => ["llm", "scripted", "shell"].includes(type);

/**
 * Whether mail may wake an agent of this type. `scripted` says a quotation, line by line, as it is; to `shell` it would
 * be a command; people look for themselves.
 */
export const readsMail = (type: string): boolean => type !== "shell" && type !== "human";
