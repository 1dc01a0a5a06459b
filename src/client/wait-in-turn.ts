// A wait of an agent: inside its turn if its program can, else the agent is continued when the wait is over.
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { AnswerOf, CallRoute } from "#contract/routes.ts";

export async function waitInTurn(
	call: CallRoute,
	body: object,
	stopped?: { readonly aborted: boolean },
): Promise<AnswerOf<"wait"> | Refusal> {
	let now = await call("waitOpen", { body });
	while (!isRefusal(now) && now.state === "open" && now.blocking && stopped?.aborted !== true)
		now = await call("wait", { params: { wait: String(now.id) }, query: { block: true } });
	return now;
}
