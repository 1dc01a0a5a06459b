// Checks the installation, and says how to fix what is wrong.

import { execFileSync, spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from "node:fs";
import path from "node:path";
import { type Client, Refused } from "#client/client.ts";
import { credentialHint, noCredentialsHere } from "#contract/credential-hint.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { AnswerOf } from "#contract/routes.ts";
import { shellWord } from "#contract/shell-word.ts";
import { contractVersion } from "#contract/version.ts";
import { inline } from "#contract/visible.ts";
import type { Status, Subscription, VendorAgent } from "#contract/wire.ts";
import { programPath } from "#local/programs.ts";
import { version } from "#src/version.ts";
import { givenAddress, homeOf, running } from "./connect.ts";
import { configProblem } from "./daemon-check.ts";
import { howToLogIn } from "./default-type.ts";
import { print, printData } from "./print.ts";
import { keysIn, listed } from "./shell-keys.ts";

interface Finding {
	name: string;
	ok: boolean;
	text: string;
	fix: string | null;
}

export async function doctor(options: { json?: boolean | undefined }): Promise<void> {
	const answer = givenAddress() === null ? await running().catch(asRefusal) : null;
	const found = answer !== null && "client" in answer ? answer : null;
	const refusal = answer !== null && "code" in answer ? answer : null;
	const status = found?.status ?? null;
	const findings = [nodeJs(), sqlite(), git(), home(), ...config(status), ...store(status), space(), token()];
	findings.push(containment(status), daemon(status, refusal));
	// without its database it can say no more than its status does
	let isMute = found === null || (status !== null && status.agents === null);
	const tryCall = async <T>(call: (client: Client) => Promise<T>): Promise<T | undefined> => {
		if (found === null || isMute) return undefined;
		try {
			return await call(found.client);
		} catch (error) {
			const { code, message } = asRefusal(error);
			isMute = code === "STORE_UNAVAILABLE";
			findings.push(bad("daemon", `could not answer: ${message}`, "brood logs --level warn"));
			return undefined;
		}
	};
	const vendors = (await tryCall((client) => client.call("vendors"))) ?? [];
	const subscriptions = (await tryCall((client) => client.call("subscriptions"))) ?? [];
	for (const { name, problem } of subscriptions)
		if (problem !== null) {
			const fix =
				problem === noCredentialsHere
					? credentialHint(name, status?.nodeName ?? "NODE")
					: `correct the file, or: brood subscription configure ${name} --env-file FILE`;
			findings.push(bad(`subscription ${name}`, problem, fix));
		}
	// makes the daemon check each project; it knows the other problems already
	await tryCall((client) => client.call("projects", { query: { check: "true" } }));
	const { problems } = (await tryCall((client) => client.call("status"))) ?? status ?? { problems: [] };
	if (status?.store === "postgres")
		findings.push(...databaseFindings(await tryCall((client) => client.call("database"))));
	findings.push(...problems.map(({ what, text, fix }) => ({ name: what, ok: false, text, fix })));
	findings.push(...vendors.map((each) => vendorAgent(each, subscriptions)));
	if (options.json === true) printData({ healthy: findings.every(({ ok }) => ok), findings });
	else
		print(
			findings
				.map(
					({ ok, name, text, fix }) =>
						`${ok ? "ok  " : "FIX "} ${inline(name).padEnd(12)} ${inline(text)}${fix === null ? "" : `\n                  ${inline(fix)}`}`,
				)
				.join("\n"),
		);
	if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
}

/** The database that several machines share. */
function databaseFindings(found: AnswerOf<"database"> | undefined): Finding[] {
	if (found === undefined) return [];
	const { roundTripMs, clockOffsetMs, problems } = found;
	if (problems.length > 0) return problems.map(({ what, text, fix }) => ({ name: what, ok: false, text, fix }));
	return [
		good(
			"database",
			`a round trip takes ${roundTripMs ?? "?"} ms, its clock is ${clockText(clockOffsetMs)}; LISTEN works`,
		),
	];
}

const clockText = (offsetMs: number | null): string =>
	offsetMs === null ? "not compared yet" : `${Math.abs(offsetMs)} ms ${offsetMs < 0 ? "behind" : "ahead"}`;

const good = (name: string, text: string): Finding => ({ name, ok: true, text, fix: null });
const bad = (name: string, text: string, fix: string): Finding => ({ name, ok: false, text, fix });

function nodeJs(): Finding {
	const major = Number(process.versions.node.split(".")[0]);
	return major >= 24
		? good("Node.js", process.version)
		: bad("Node.js", `${process.version} is too old`, "install Node 24 or newer, or use ./bin/brood of a checkout");
}

function sqlite(): Finding {
	const found = process.versions["sqlite"] ?? "0";
	const enough = found.localeCompare("3.51.3", "en", { numeric: true }) >= 0;
	return enough
		? good("sqlite", found)
		: bad("sqlite", `${found} can corrupt a store`, "use a Node with SQLite 3.51.3 or newer");
}

function git(): Finding {
	try {
		return good("git", execFileSync("git", ["--version"], { encoding: "utf8" }).trim());
	} catch {
		return bad("git", "not found", "install git; projects need it");
	}
}

function home(): Finding {
	const folder = homeOf();
	if (!existsSync(folder)) return good("home", `${folder} (made on first use)`);
	try {
		accessSync(folder, constants.W_OK);
	} catch {
		return bad("home", `${folder} cannot be written`, `make it yours: chown -R "$USER" ${folder}`);
	}
	if ((statSync(folder).mode & 0o077) !== 0)
		return bad("home", `${folder} is open to others`, `chmod 700 ${shellWord(folder)}`);
	if (existsSync(path.join(folder, "postgres-journal"))) return good("home", `${folder}, on a PostgreSQL database`);
	return existsSync(path.join(folder, "brood.db"))
		? good("home", `${folder}, with a store`)
		: good("home", `${folder}, without a store yet`);
}

/** The password of the database is nobody else's. */
function config(status: Status | null): Finding[] {
	const file = path.join(homeOf(), "config.yaml");
	if (!existsSync(file)) return [];
	// without a daemon the start is tried as a whole
	const wrong = status === null ? null : configProblem(homeOf());
	const fix = "correct the file: the daemon that runs has read an earlier one, and the next one would not start";
	return [...(wrong === null ? [] : [bad("config.yaml", wrong, fix)]), ...readable(file)];
}

function readable(file: string): Finding[] {
	if ((statSync(file).mode & 0o077) === 0) return [];
	const hasPassword = /^database:.*(\/\/[^/@]*:[^@]|[?&]password=)/m.test(readFileSync(file, "utf8"));
	return hasPassword
		? [
				bad(
					"config.yaml",
					`${file} has the database's password, and others can read it`,
					`chmod 600 ${shellWord(file)}`,
				),
			]
		: [];
}

/** reading all pages of a store of 2 GiB takes some seconds, and longer from a slow disk */
const checkMs = 120_000;

/** What would keep a daemon from starting on this home; it knows its store best. */
function store(status: Status | null): Finding[] {
	if (status !== null || (!existsSync(homeOf()) && !process.env["BROOD_DATABASE_URL"])) return [];
	const check = [programPath("programs/daemon"), "--check", "--home", homeOf()];
	const { status: code, stderr } = spawnSync(process.execPath, check, { encoding: "utf8", timeout: checkMs });
	if (code === 0) return [];
	const text = stderr.trim().replace(/^brood: /, "") || "it could not be examined";
	const fix = text.includes("brood.db") ? "backups are made with: brood backup FILE" : "correct that, then: brood up";
	return [bad("store", text, `nothing was changed; ${fix}`)];
}

function space(): Finding {
	const folder = homeOf();
	const { bavail, bsize } = statfsSync(existsSync(folder) ? folder : path.dirname(folder));
	const mib = Math.floor((bavail * bsize) / 1024 / 1024);
	return mib > 500
		? good("space", `${mib} MiB free`)
		: bad("space", `only ${mib} MiB free`, "free some space: a full disk refuses every command");
}

function token(): Finding {
	const file = path.join(homeOf(), "token");
	if (!existsSync(file)) return good("token", "made on first use");
	return (statSync(file).mode & 0o077) === 0
		? good("token", "only its owner can read it")
		: bad("token", `${file} can be read by others`, `chmod 600 ${shellWord(file)}`);
}

/** The containment in force, and a stronger one if there is any. Only the daemon knows: it found out by trying. */
function containment(status: Status | null): Finding {
	if (!existsSync("/proc/self/stat"))
		return bad(
			"containment",
			"process groups only: without /proc, what leaves its group is not found",
			"on this system, look for leftovers yourself",
		);
	if (status === null)
		return good(
			"containment",
			givenAddress() === null ? "found out when the daemon starts" : "known to the daemon that BROOD_URL names",
		);
	const { text, stronger } = levels[status.containment];
	return {
		name: "containment",
		ok: true,
		text: `${status.containment}: ${text}; agents have your privileges`,
		fix: stronger,
	};
}

const byKernel = "the kernel ends an agent's processes with the daemon, whose environment they cannot read";
const levels: Record<Status["containment"], { text: string; stronger: string | null }> = {
	bubblewrap: { text: byKernel, stronger: null },
	namespace: {
		text: byKernel,
		stronger:
			"stronger: bubblewrap (apt-get install bubblewrap), if config.yaml does not ask for another; then brood down",
	},
	groups: {
		text: "process trees by an environment variable and by process session; if the daemon is killed, a watchdog ends them where several nodes share the database, else the next start does; what clears its environment and leaves its session is missed",
		stronger:
			"stronger: bubblewrap (apt-get install bubblewrap) and user namespaces, if config.yaml does not ask for another; then brood down",
	},
};

/** A daemon that does not answer and an unsafe home are findings, not failures of `doctor`. */
function asRefusal(error: unknown): Refusal {
	if (error instanceof Refused) return error.refusal;
	throw error;
}

function daemon(status: Status | null, refusal: Refusal | null): Finding {
	const given = givenAddress();
	if (refusal !== null)
		return bad("daemon", `${refusal.code}: ${refusal.message}`, refusal.suggestions.at(-1) ?? "brood logs");
	if (given !== null) return good("daemon", `${given.url}, named by BROOD_URL`);
	if (status === null) return good("daemon", "not running; it starts by itself on first use");
	if (status.contract !== contractVersion)
		return bad(
			"daemon",
			`speaks contract ${status.contract}, this is ${contractVersion}`,
			"brood down, then use the newer of the two",
		);
	return good(
		"daemon",
		`${status.version} at ${status.url} (pid ${status.pid})${status.version === version ? "" : `; this is ${version}`}`,
	);
}

/** A type that is not installed is not a problem: few people use all of them. */
function vendorAgent(vendor: VendorAgent, subscriptions: readonly Subscription[]): Finding {
	const { type, version: driven, installed, loggedIn } = vendor;
	const keys = keysIn(vendor);
	const shell = keys.length === 0 ? "" : `; in this shell: ${listed(keys)}`;
	if (installed === null)
		return { ...good(type, `the adapter is not installed${shell}`), fix: `to use it: brood setup ${type}` };
	if (installed !== driven) return bad(type, `${installed}, but this release drives ${driven}`, `brood setup ${type}`);
	const withCredentials = subscriptions
		.filter((each) => each.type === type && each.credential !== null)
		.map(({ name }) => name);
	if (withCredentials.length > 0)
		return good(
			type,
			`${installed}, credentials from ${withCredentials.join(", ")}${loggedIn ? "; login found" : ""}${shell}`,
		);
	return {
		...good(type, `${installed}, ${loggedIn ? "looks logged in" : "does not look logged in"}${shell}`),
		fix: loggedIn ? null : `to log in: ${howToLogIn(vendor)}`,
	};
}
