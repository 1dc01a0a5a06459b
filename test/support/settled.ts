// Waiting until everything that follows from a command has followed.
import type { Engine } from "#engine/engine.ts";

/** Resolves when nothing has been written for a while of event-loop turns. Only for stores and drivers without I/O. */
export async function settled(engine: Engine): Promise<void> {
	let last = await engine.reads.lastEvent();
	for (let quiet = 0; quiet < 12; quiet++) {
		await new Promise((resume) => setImmediate(resume));
		const now = await engine.reads.lastEvent();
		if (now !== last) quiet = 0;
		last = now;
	}
}
