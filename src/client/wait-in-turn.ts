// A wait of an agent: inside its turn if its program can, else the agent is continued when the wait is over.
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { AnswerOf, CallRoute } from "#contract/routes.ts";
import { waitOut } from "./wait-out.ts";

export async function waitInTurn(
	call: CallRoute,
	body: object,
	stopped?: { readonly aborted: boolean },
): Promise<AnswerOf<"wait"> | Refusal> {
	const opened = await call("waitOpen", { body });
	if (isRefusal(opened)) return opened;
	const look = () => call("wait", { params: { wait: String(opened.id) }, query: { block: true } });
	return await waitOut(opened, { look, stopped });
}
