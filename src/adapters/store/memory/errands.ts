// Errands in memory: one process has this store, so that they are asked and done by the same node.
import { isActive, type NodeEpoch } from "#contract/node.ts";
import type { StoreErrands } from "#engine/ports/store-errands.ts";
import type { Rows } from "./rows.ts";

/** `settled` resolves while no batch is half done. */
export function memoryErrands({ errands, nodes }: Rows, settled: () => Promise<unknown>): StoreErrands {
	const lives = ({ node, epoch }: NodeEpoch): boolean => {
		const row = nodes.get(node);
		return row !== undefined && isActive(row) && row.epoch === epoch;
	};
	return {
		async ask(errand) {
			await settled();
			if (errands.has(errand.id)) return true;
			if (!lives(errand)) return false;
			errands.set(errand.id, { ...errand, state: "asked", answer: null });
			return true;
		},
		async take({ node, epoch }) {
			await settled();
			const own = [...errands.values()].filter((each) => each.node === node && each.epoch === epoch);
			if (lives({ node, epoch }))
				for (const each of own) if (each.state === "asked") errands.set(each.id, { ...each, state: "taken" });
			return [...own]
				.filter(({ id }) => errands.get(id)?.state === "taken")
				.map(({ id, request }) => ({ id, request }));
		},
		async answer(id, answer) {
			await settled();
			const errand = errands.get(id);
			if (errand?.state === "taken") errands.set(id, { ...errand, state: "done", answer });
		},
		async withdraw(id) {
			await settled();
			return errands.get(id)?.state === "asked" && errands.delete(id);
		},
		async answers(ids) {
			await settled();
			return ids.flatMap((id) => {
				const answer = errands.get(id)?.answer ?? null;
				return answer === null ? [] : [{ id, answer }];
			});
		},
		async drop(before, atMost) {
			await settled();
			const old = [...errands.values()].filter(({ at, state }) => at < before && state === "done").slice(0, atMost);
			for (const { id } of old) errands.delete(id);
			return old.length;
		},
	};
}
