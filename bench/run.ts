// Every performance claim, measured again: `npm run bench [name…]`. Each bench prints a table and the ratio that its
// target is about; all of them go into bench/results.json. The machine may be noisy: compare within one run.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { agents } from "./agents.ts";
import { commandLine } from "./command-line.ts";
import { context } from "./context.ts";
import { dashboard } from "./dashboard.ts";
import { eventLoop } from "./event-loop.ts";
import { flat } from "./flat.ts";
import { groupCommit } from "./group-commit.ts";
import { forks, replays } from "./history.ts";
import { http } from "./http.ts";
import { mirror } from "./mirror.ts";
import { nodesBench } from "./nodes.ts";
import { sandboxed } from "./sandboxed.ts";
import { search } from "./search.ts";
import { start } from "./start.ts";
import { type Result, show } from "./table.ts";
import { terminal } from "./terminal.ts";
import { turns } from "./turns.ts";
import { workspaces } from "./workspaces.ts";

const benches: Record<string, () => Promise<Result[]>> = {
	"group-commit": groupCommit,
	"event-loop": eventLoop,
	forks,
	replays,
	start,
	http,
	"command-line": commandLine,
	context,
	turns,
	workspaces,
	flat,
	nodes: nodesBench,
	sandboxed,
	search,
	mirror,
	terminal,
	dashboard,
	agents,
};

const file = new URL("./results.json", import.meta.url);
const wanted = process.argv.slice(2);
const names = wanted.length > 0 ? wanted : Object.keys(benches);
const before: Record<string, Result[]> = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).results : {};
// without those of benches that are gone
const results = Object.fromEntries(Object.entries(before).filter(([name]) => Object.hasOwn(benches, name)));
for (const name of names) {
	const bench = benches[name];
	if (bench === undefined) throw new Error(`there is no bench ${name}: ${Object.keys(benches).join(", ")}`);
	results[name] = await bench();
	for (const result of results[name]) show(result);
}
const machine = {
	cores: cpus().length,
	cpu: cpus()[0]?.model,
	node: process.version,
	sqlite: process.versions["sqlite"],
	platform: process.platform,
};
writeFileSync(file, `${JSON.stringify({ machine, results }, null, "\t")}\n`);
process.exitCode = Object.values(results)
	.flat()
	.some((result) => result.ratio?.met === false)
	? 1
	: 0;
