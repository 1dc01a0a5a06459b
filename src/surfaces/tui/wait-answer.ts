// What is said of a wait that has ended, in the words of the command line.
import { Refused } from "#client/client.ts";
import { refuse } from "#contract/refusal.ts";
import type { Wait } from "#contract/wire.ts";
import type { SlashAnswer } from "./slash.ts";

export function waitAnswer({ state, seen }: Pick<Wait, "state" | "seen">): SlashAnswer {
	const late = seen.filter(({ met }) => !met).map(({ handle }) => handle);
	if (state === "timeout") throw new Refused(refuse("TIMEOUT", `Time ran out: still waiting for ${late.join(", ")}.`));
	const states = seen.map(({ handle, label }) => `${handle} is ${label === "error" ? "in error" : label}`);
	return { text: states.join(", ") };
}
