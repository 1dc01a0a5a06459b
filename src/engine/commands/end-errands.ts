// A life of a node that is over does no more errands: whoever waits for one is told so, in the same transaction.
import { refusedAnswer } from "#contract/errand.ts";
import type { NewEvent } from "#contract/event.ts";
import { refuse } from "#contract/refusal.ts";
import type { Tx } from "../ports/store.ts";

export async function endErrands(tx: Tx, events: readonly NewEvent[]): Promise<void> {
	for (const event of events) {
		// items are some agent's
		if (event.agent !== null) continue;
		if (event.kind !== "node.joined" && event.kind !== "node.fell" && event.kind !== "node.left") continue;
		const { node } = event.data;
		const name = (await tx.node(node))?.name ?? node;
		const words = `Node ${name} ${what[event.kind]} before it answered; the request may have been carried out.`;
		const refusal = refuse("NODE_DOWN", words, { details: { node }, suggestions: ["brood node list"] });
		await tx.endErrands(node, JSON.stringify(refusedAnswer(refusal)));
	}
}

const what = {
	"node.joined": "was started again",
	"node.fell": "stopped answering",
	"node.left": "was stopped",
} as const;
