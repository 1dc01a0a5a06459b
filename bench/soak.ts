// `npm run soak [-- --minutes N] [--agents N] [--leak]`: a daemon under a steady load, watched from outside, and a
// verdict: does anything grow without bound? Half an hour with 30 agents unless told otherwise (BROOD_SOAK_MINUTES
// too). The home's retention is set to minutes, so that what expires after days otherwise expires within the run. Exits
// with 1 if something grows, or if something went wrong inside the daemon. `--leak` lets the run itself leave temporary
// folders behind: then the verdict has to be "grows".
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "#client/client.ts";
import { daemonNodeJs } from "#local/programs.ts";
import { type Judged, judge, samplesMin } from "#test/support/soak-verdict.ts";
import { Load } from "./soak/load.ts";
import { rules, type Sample, takeSample } from "./soak/sample.ts";
import { show } from "./table.ts";

const { values } = parseArgs({
	options: {
		minutes: { type: "string" },
		agents: { type: "string", default: "30" },
		pace: { type: "string", default: "500" },
		leak: { type: "boolean", default: false },
	},
});
const minutes = Number(values.minutes ?? process.env["BROOD_SOAK_MINUTES"] ?? 30);
const [agents, paceMs] = [Number(values.agents), Number(values.pace)];
const inFlightMax = 4;
/** a twelfth of the run, so that everything that expires has done so when the judging starts */
const retentionDays = minutes / 12 / 60 / 24;

const root = mkdtempSync(path.join(os.tmpdir(), "brood-soak-"));
const [home, repository] = [path.join(root, "home"), path.join(root, "repository")];
// what is left there then belongs to this daemon, and is removed with it
process.env["TMPDIR"] = path.join(root, "tmp");
process.exitCode = await soak().finally(() => rmSync(root, { recursive: true, force: true }));

async function soak(): Promise<number> {
	prepare();
	const daemon = spawn(
		process.execPath,
		[...daemonNodeJs.options, "src/programs/daemon.ts", "--home", home, "--port", "0", "--background"],
		{
			cwd: path.join(import.meta.dirname, ".."),
			stdio: ["ignore", "ignore", "inherit"],
		},
	);
	const exited = once(daemon, "exit");
	const stop = new AbortController();
	try {
		const load = new Load(new Client(await addressOf(daemon.pid ?? 0)));
		const listening = load.listen(stop.signal);
		await load.populate(agents);
		console.log(
			`${agents} agents, ${minutes} minutes, an operation every ${paceMs} ms; retention ${(retentionDays * 24 * 60).toFixed(2)} minutes`,
		);
		const samples = await watch(load, daemon.pid ?? 0);
		stop.abort();
		await listening.catch(() => {});
		return report(samples, load);
	} finally {
		stop.abort();
		daemon.kill("SIGTERM");
		await exited;
	}
}

function prepare(): void {
	mkdirSync(path.join(repository, "src"), { recursive: true });
	for (const folder of [home, path.join(root, "tmp")]) mkdirSync(folder, { mode: 0o700 });
	const git = (...args: string[]): void => void execFileSync("git", args, { cwd: repository });
	git("init", "-q", "-b", "main");
	git("config", "user.name", "person");
	git("config", "user.email", "person@localhost");
	for (let at = 0; at < 100; at++)
		writeFileSync(path.join(repository, "src", `file-${at}.txt`), `text of ${at}\n`.repeat(20));
	git("add", "-A");
	git("commit", "-qm", "begin");
	const days = Math.max(retentionDays, 1e-6);
	writeFileSync(
		path.join(home, "config.yaml"),
		`retention:\n  trashDays: ${days}\n  snapshotDays: ${days}\n  snapshotsKept: 5\n  snapshotsMax: 50\n  upkeepMinutes: 1\nlimits:\n  receiptsKeptMs: ${Math.ceil(days * 86_400_000)}\n`,
	);
}

async function addressOf(pid: number): Promise<{ url: string; token: string }> {
	for (;;) {
		const file = path.join(home, "daemon.json");
		const found: { pid: number; url: string } | null = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
		if (found?.pid === pid) {
			const client = { url: found.url, token: readFileSync(path.join(home, "token"), "utf8").trim() };
			await new Client(client).call("projectAdd", { body: { slug: "soak", path: repository } });
			return client;
		}
		await pause(50);
	}
}

/** Operations at a steady pace, a few at a time, and a sample now and then. */
async function watch(load: Load, pid: number): Promise<Sample[]> {
	const [from, lengthMs] = [performance.now(), minutes * 60_000];
	const everyMs = Math.max(lengthMs / 60, 200);
	const samples: Sample[] = [];
	const open = new Set<Promise<void>>();
	for (let [next, sampleAt] = [from, from]; performance.now() - from < lengthMs || samples.length < samplesMin; ) {
		const now = performance.now();
		if (now >= sampleAt) {
			samples.push(takeSample({ pid, home, repository, events: load.events }));
			sampleAt = Math.max(sampleAt + everyMs, performance.now() + everyMs / 4);
			if (values.leak) for (let at = 0; at < 10; at++) mkdtempSync(path.join(os.tmpdir(), `brood-leak-${pid}-`));
		}
		if (now >= next && open.size < inFlightMax) {
			const action = load.next();
			open.add(action);
			void action.then(() => open.delete(action));
			next = Math.max(next + paceMs, now - paceMs);
		}
		await pause(Math.max(5, Math.min(next, sampleAt) - performance.now(), open.size < inFlightMax ? 0 : 20));
	}
	await Promise.all(open);
	samples.push(takeSample({ pid, home, repository, events: load.events }));
	return samples;
}

function report(samples: readonly Sample[], load: Load): number {
	const names = Object.keys(rules).filter((name): name is keyof Sample => name in rules);
	const judged = names.map((name) =>
		judge(
			rules[name],
			samples.map((sample) => sample[name]),
		),
	);
	const told = ({ unit }: Judged, value: number): number => (unit === "MB" ? value / 1024 / 1024 : value);
	show({
		title: `${minutes} minutes, ${agents} agents, ${samples.length} samples, ${load.events} events`,
		columns: ["", "unit", "first", "last", "peak before", "peak after", "verdict", "bounded because"],
		rows: judged.map((each) => [
			each.name,
			each.unit,
			...[each.first, each.last, each.earlier, each.later].map((value) => Number(told(each, value).toFixed(1))),
			each.grows ? "GROWS" : "flat",
			each.because,
		]),
	});
	const growing = judged.filter(({ grows }) => grows).map(({ name }) => name);
	console.log(
		`\ndone ${JSON.stringify(load.done)}\nrefused ${JSON.stringify(load.refused)}\nfailed ${load.failures.length}${load.failures
			.slice(0, 5)
			.map((text) => `\n  ${text}`)
			.join("")}`,
	);
	console.log(growing.length === 0 ? "verdict: nothing grows without bound" : `verdict: grows: ${growing.join(", ")}`);
	return growing.length === 0 && load.failures.length === 0 ? 0 : 1;
}
