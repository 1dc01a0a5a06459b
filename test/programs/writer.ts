// A daemon without an HTTP server, for crash tests: it writes numbered items with several writers and prints a line for
// each one that was acknowledged. `node writer.ts <store as JSON> <run> <items> [writers] [bytes of data with each]`
import { system } from "#contract/ids.ts";
import { StoreFault } from "#engine/ports/store.ts";
import { startEngine } from "#src/main.ts";

const [place, run, items, writers, bytes] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const engine = await startEngine(JSON.parse(place ?? "")).catch((error: Error) => {
	say(`cannot start: ${error.message}`);
	process.exit(1);
});
void engine.failed.then((why) => {
	say(`failed: ${why.message}`);
	process.exit(70);
});
say(`agent ${engine.agentZero.id}`);

let next = 0;
const data = bytes === undefined ? null : "x".repeat(Number(bytes));
const write = async (): Promise<void> => {
	while (next < Number(items)) {
		const text = `${run}:${next++}`;
		try {
			const outcome = await engine.dispatch({
				actor: system,
				key: null,
				command: { type: "item.append", agent: engine.agentZero.id, kind: "user", text, data },
			});
			say("done" in outcome ? `ack ${outcome.done.event} ${text}` : `refused ${outcome.refused.code}`);
		} catch (error) {
			say(`fault ${error instanceof StoreFault ? error.kind : "bug"} ${text}`);
		}
	}
};
await Promise.all(Array.from({ length: Number(writers ?? 4) }, write));
await engine[Symbol.asyncDispose]();
say("over");
