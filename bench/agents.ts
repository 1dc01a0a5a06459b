// What Brood adds to a turn of a real agent: Claude Code against a model on loopback, compared with the bare adapter,
// which goes first in every other round. Also the memory of an agent in the daemon after one turn, with its process
// ended.
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { launch } from "#adapters/driver/acp/launch.ts";
import { adapterCommand } from "#adapters/driver/install.ts";
import { vendors } from "#adapters/driver/vendors/vendors.ts";
import { Client } from "#client/client.ts";
import type { AgentId } from "#contract/ids.ts";
import type { Engine } from "#engine/engine.ts";
import { daemonNodeJs, programPath } from "#local/programs.ts";
import { startDaemon } from "#src/main.ts";
import { adaptersIn, install } from "#test/agents/install.ts";
import { kits } from "#test/agents/kits.ts";
import { median, percentile, type Result } from "./table.ts";
import { bareTurn, broodTurn, inHome } from "./turns.ts";

const run = promisify(execFile);
const rounds = 200;
const warmUp = 10;
const restMs = 250;
const idleAgents = 2000;

export async function agents(): Promise<Result[]> {
	return [await inHome(claude), await inHome(idleEnded)];
}

async function claude(home: string): Promise<Result> {
	const kit = kits.claude;
	await install(kit.type);
	using model = await startModel();
	mkdirSync(home, { recursive: true, mode: 0o700 });
	symlinkSync(adaptersIn, path.join(home, "adapters"));
	const variables = (name: string): Record<string, string> => {
		const folder = path.join(home, name);
		kit.prepareFolder(model.url, folder);
		return kit.variables(model.url, folder);
	};
	await using daemon = await startDaemon({ home });
	const agent = await throughBrood(daemon, home, variables("paid"));
	const program = adapterCommand(adaptersIn, kit.type);
	if (program === null) throw new Error("Claude Code is not installed");
	// the same tools as Brood's agents have, so that they make no difference
	const tools = { name: "brood", command: process.execPath, args: [programPath("surfaces/cli/bin"), "mcp"] };
	const toolServers = [{ ...tools, env: { BROOD_URL: daemon.url, BROOD_TOKEN: "none", BROOD_AGENT: agent } }];
	const bare = await launch({
		...program,
		containment: daemon.containment,
		folder: home,
		environment: { PATH: process.env["PATH"] ?? "", ...vendors[kit.type]?.environment, ...variables("bare") },
		session: {
			folder: home,
			toolServers,
			resume: null,
			copyOf: null,
			costBefore: 0,
			systemPrompt: null,
			model: kit.model,
			mode: "default",
			options: {},
		},
		signal: new AbortController().signal,
	});
	const times = {
		bare: [] as number[],
		bareEnded: [] as number[],
		handed: [] as number[],
		brood: [] as number[],
		broodEnded: [] as number[],
	};
	const kinds: (() => Promise<Partial<Record<keyof typeof times, number>>>)[] = [
		async () => {
			const { first, ended } = await bareTurn(bare);
			return { bare: first, bareEnded: ended };
		},
		async () => {
			const { handed, first, ended } = await broodTurn(daemon.engine, agent);
			return { handed, brood: first, broodEnded: ended };
		},
	];
	for (let round = 0; round < rounds + warmUp; round++) {
		for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
			// each has two processors of its own; work after a turn is done by then
			await pause(restMs);
			const took = await kind();
			if (round >= warmUp)
				for (const name of keysOf(times)) times[name].push(...(took[name] === undefined ? [] : [took[name]]));
		}
	}
	process.kill(bare.pid);
	return turnResult(times, vendors[kit.type]?.version);
}

function turnResult(
	times: Record<"bare" | "bareEnded" | "handed" | "brood" | "broodEnded", number[]>,
	version: string | undefined,
): Result {
	const value = median(times.broodEnded) - median(times.bareEnded);
	const row = (name: string, all: number[]): [string, number, number] => [name, median(all), percentile(all, 0.99)];
	return {
		title: `A turn of Claude Code (adapter ${version}), ms`,
		columns: ["", "median", "p99"],
		rows: [
			row("the bare adapter, first words", times.bare),
			row("through Brood, its prompt handed over", times.handed),
			row("through Brood, first words durable", times.brood),
			row("the bare adapter, whole turn", times.bareEnded),
			row("through Brood, whole turn", times.broodEnded),
		],
		ratio: { name: "median ms that Brood adds to a turn", value, target: "≤ 10", met: value <= 10 },
	};
}

async function startModel(): Promise<{ url: string } & Disposable> {
	const child = fork(fileURLToPath(new URL("./model-process.ts", import.meta.url)));
	const [url]: unknown[] = await once(child, "message");
	return { url: String(url), [Symbol.dispose]: () => child.disconnect() };
}

async function throughBrood(
	daemon: { engine: Engine; url: string; token: string },
	home: string,
	variables: Record<string, string>,
): Promise<AgentId> {
	const client = new Client(daemon);
	const envFile = path.join(home, "variables");
	const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
	writeFileSync(envFile, lines.join("\n"), { mode: 0o600 });
	const { type, model } = kits.claude;
	await client.call("subscriptionAdd", { body: { name: "fake", type, maxConcurrent: 1, credential: { envFile } } });
	const agent = await client.call("agentAdd", { body: { type, policy: "full", ...(model !== null && { model }) } });
	return agent.id;
}

async function idleEnded(home: string): Promise<Result> {
	const program = fileURLToPath(new URL("./idle-daemon.ts", import.meta.url));
	const { stdout } = await run(process.execPath, [
		"--expose-gc",
		...daemonNodeJs.options,
		program,
		home,
		String(idleAgents),
	]);
	const { before, after }: Record<"before" | "after", { heap: number; resident: number }> = JSON.parse(stdout);
	const each = (kind: "heap" | "resident"): number => (after[kind] - before[kind]) / idleAgents / 1000;
	return {
		title: `${idleAgents.toLocaleString("en")} agents that had a turn and whose processes were ended: the daemon`,
		columns: ["", "MB before", "MB after", "kB an agent"],
		rows: [
			["heap and external, after a collection", before.heap / 1e6, after.heap / 1e6, each("heap")],
			["resident", before.resident / 1e6, after.resident / 1e6, each("resident")],
		],
		ratio: {
			name: "kB of resident memory an agent",
			value: each("resident"),
			target: "≤ 50",
			met: each("resident") <= 50,
		},
	};
}

const keysOf = <K extends string>(of: Record<K, unknown>): K[] => Object.keys(of).filter((key): key is K => key in of);
