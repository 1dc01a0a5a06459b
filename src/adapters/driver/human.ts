// The driver of human agents: a turn waits until somebody says that it is over. No process is started, ended or swept.
import { once } from "node:events";
import type { Driver, TurnResult } from "#engine/ports/driver.ts";

export const humanDriver: Driver = {
	async startProcess() {
		return { up: true, session: null };
	},
	dismiss() {},
	keepsSession: () => false,
	autorunFiles: async () => null,
	async run(_, __, signal): Promise<TurnResult> {
		if (!signal.aborted) await once(signal, "abort");
		return { state: "interrupted", reason: "stopped", text: null };
	},
	frozen: (_, work) => work(() => true),
	freezeAll() {},
	thawAll() {},
	async killAll() {},
	processesLeft: () => [],
	async end() {},
	async sweep() {
		return 0;
	},
	async [Symbol.asyncDispose]() {},
};
