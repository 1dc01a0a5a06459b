// Errands in the store: what one node asks another one to do. They are not in the journal, and each is deleted an hour
// after it was asked, once it is answered.
import type { Errand } from "#contract/errand.ts";
import type { NodeEpoch, NodeId } from "#contract/node.ts";

export interface StoreErrands {
	/** Whether it was asked; not if that life of the node is over. Asking again with the same id asks nothing new. */
	ask(errand: Errand): Promise<boolean>;
	/**
	 * Takes what this life of a node was asked, and answers all that it has taken and not answered: those that it has
	 * begun already among them. Nothing is taken once that life is over.
	 */
	take(as: NodeEpoch): Promise<Pick<Errand, "id" | "request">[]>;
	/** Does nothing if there is an answer already. */
	answer(id: string, answer: string): Promise<void>;
	/** Deletes it, unless the node has taken it; answers whether it did. */
	withdraw(id: string): Promise<boolean>;
	/** Those of these errands that have an answer. */
	answers(ids: readonly string[]): Promise<{ id: string; answer: string }[]>;
	/** Deletes up to this many that were asked before and are answered; answers how many. */
	drop(before: number, atMost: number): Promise<number>;
}

export interface ErrandWrites {
	/** Answers all open errands of a node whose life is over. */
	endErrands(node: NodeId, answer: string): Promise<void>;
}
