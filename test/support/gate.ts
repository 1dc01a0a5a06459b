// A batch that carries this text stops after it was decided and before it is committed.
import type { RunBatch, Tx } from "#engine/ports/store.ts";

export const gateText = "stop before the commit";
export const poisonText = "a bug in the middle of a batch";

export function gated(run: RunBatch, gate: () => Promise<void>): RunBatch {
	return async (tx, batch) => {
		const landed = await run(poisoned(tx), batch);
		if (batch.some(({ command }) => "text" in command && command.text === gateText)) await gate();
		return landed;
	};
}

/** The same transaction, but for a bug that shows when a certain event has just been written. */
function poisoned(tx: Tx): Tx {
	return new Proxy(tx, {
		get(target, name) {
			const member: unknown = Reflect.get(target, name);
			if (typeof member !== "function") return member;
			if (name !== "append") return member.bind(target);
			return async (events: Parameters<Tx["append"]>[0]) => {
				const appended = await target.append(events);
				if (events.some((event) => event.text === poisonText)) throw new Error("poison");
				return appended;
			};
		},
	});
}
