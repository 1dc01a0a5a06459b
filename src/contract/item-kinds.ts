// The kinds of items, apart from their schemas: clients, and the thread that reads the store, need only these.

/** Items about the conversation itself; each has its own command. */
export const kindsWithOwnCommand = ["clear", "mark", "rewind", "fork", "interrupt", "killed"] as const;

/** Every kind that this version knows. */
export const itemKinds = [
	...["user", "assistant", "thought", "tool_call", "tool_result", "plan", "final"],
	...["timeout", "command", "system", "usage"],
	...kindsWithOwnCommand,
] as const;

/** A kind without a dot is an item of the conversation. */
export const isItem = ({ kind }: { readonly kind: string }): boolean => !kind.includes(".");

const withOwnCommand: readonly string[] = kindsWithOwnCommand;

/** The items that change rows. */
export const rowChangingItems = ["final", "usage"] as const;

/** An item that is not about the conversation itself: it concerns only those who follow the conversation. */
export const isPlainItem = ({ kind }: { kind: string }): boolean => isItem({ kind }) && !withOwnCommand.includes(kind);
