// One node of the bench, as a process of its own: says "ready", and for each line `<kind>:<writers>:<total>` how many
// it wrote a second. Without such a line it is idle.
import { createInterface } from "node:readline";
import { randomIds } from "#adapters/system/ids.ts";
import { NodeId } from "#contract/node.ts";
import { startEngine } from "#src/main.ts";
import { type Kind, makeAgents, perSecond } from "./writing.ts";

const [, , url = "", name = ""] = process.argv;
// the first of them looks after what one does for all: that is no cost of further nodes
const node = {
	node: NodeId.parse(`${name}-${randomIds.key()}`),
	name,
	startId: randomIds.key(),
	version: "0",
	schema: 1,
	types: [],
};
const engine = await startEngine({ url }, {}, { node });
const agents = await makeAgents(engine, 64, name);
process.stdout.write("ready\n");
for await (const line of createInterface(process.stdin)) {
	const [kind = "", writers, total] = line.split(":");
	const rate = await perSecond(engine, kind as Kind, agents.slice(0, Number(writers)), Number(total));
	process.stdout.write(`${rate}\n`);
}
await engine[Symbol.asyncDispose]();
