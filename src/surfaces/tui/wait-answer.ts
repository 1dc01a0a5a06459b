// Waits until a wait is over, and says how it ended in the words of the command line.
import { type Client, Refused } from "#client/client.ts";
import { waitOut } from "#client/wait-out.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Wait } from "#contract/wire.ts";
import type { SlashAnswer } from "./slash.ts";

export async function answerWhenOver(client: Client, opened: Wait, stopped: AbortSignal): Promise<SlashAnswer> {
	const look = async (): Promise<Wait | Refusal> => {
		try {
			return await client.call("wait", { params: { wait: String(opened.id) }, query: { block: "true" } });
		} catch (error) {
			if (error instanceof Refused) return error.refusal;
			throw error;
		}
	};
	const ended = await waitOut(opened, { look, stopped });
	if (isRefusal(ended)) throw new Refused(ended);
	return waitAnswer(ended);
}

function waitAnswer({ state, seen }: Pick<Wait, "state" | "seen">): SlashAnswer {
	const late = seen.filter(({ met }) => !met).map(({ handle }) => handle);
	if (state === "timeout") throw new Refused(refuse("TIMEOUT", `Time ran out: still waiting for ${late.join(", ")}.`));
	const states = seen.map(({ handle, label }) => `${handle} is ${label === "error" ? "in error" : label}`);
	return { text: states.join(", ") };
}
