// A batch that carries this text stops after it was decided and before it is committed.
import type { RunBatch } from "#engine/ports.ts";

export const gateText = "stop before the commit";
export const poisonText = "a bug in the middle of a batch";

export function gated(run: RunBatch, gate: () => Promise<void>): RunBatch {
	return async (tx, batch) => {
		const outcomes = await run(tx, batch);
		const says = (text: string): boolean => batch.some(({ command }) => "text" in command && command.text === text);
		if (says(poisonText)) throw new Error("poison");
		if (says(gateText)) await gate();
		return outcomes;
	};
}
