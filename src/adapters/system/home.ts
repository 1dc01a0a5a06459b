// The home: its files besides the store.
import {
	chmodSync,
	closeSync,
	existsSync,
	fsyncSync,
	mkdirSync,
	openSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeSync,
} from "node:fs";
import path from "node:path";
import { homeProblem, unreadableFile } from "#contract/home-rule.ts";
import { messageOf } from "#contract/message-of.ts";
import { inline } from "#contract/visible.ts";
import { attempt, codeOf } from "./errors.ts";
import { foreignNames } from "./home-names.ts";

export interface DaemonFile {
	pid: number;
	startedAt: number;
	url: string;
	/** the Unix socket for local clients; null where there can be none */
	socket: string | null;
	version: string;
	contract: number;
}

/** The home, or a file in it, cannot be used; the message says what to do. */
export class HomeUnusable extends Error {
	override readonly name = "HomeUnusable";
	readonly suggestions: string[];
	constructor(message: string, suggestions: string[] = [], cause?: unknown) {
		super(message, { cause });
		this.suggestions = suggestions;
	}
}

/**
 * Refuses a home that others can write, and a folder that is used for something else; makes it private if others can
 * read it.
 */
export function makeHome(home: string): void {
	if (!existsSync(home)) mkdirSync(home, { recursive: true, mode: 0o700 });
	const found = statSync(home);
	const problem = homeProblem(home, found, process.getuid?.() ?? null);
	if (problem !== null) throw new HomeUnusable(problem.message, problem.suggestions);
	if (!existsSync(path.join(home, "id"))) refuseForeign(home);
	if ((found.mode & 0o077) !== 0) chmodSync(home, 0o700);
}

/** A folder with other things in it is not a new home: it would be made private now, and a mistake is likely. */
function refuseForeign(folder: string): void {
	const foreign = foreignNames(folder);
	if (foreign.length === 0) return;
	const some = foreign.slice(0, 3).map(inline).join(", ");
	throw new HomeUnusable(
		`${folder} is not a home of Brood, and has other things in it (${some}${foreign.length > 3 ? ", …" : ""}). Choose an empty folder with BROOD_HOME.`,
	);
}

/** The home's random id, which its processes have in their environment. */
export function homeIdOf(home: string, fresh: string): string {
	return onceWritten(path.join(home, "id"), fresh);
}

/** The owner's token, in a file that only its owner may read. */
export function homeToken(home: string, fresh: string): string {
	const file = path.join(home, "token");
	const token = onceWritten(file, fresh);
	if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
	return token;
}

/** Replaces the token durably. Returns its file. */
export function replaceToken(home: string, fresh: string): string {
	const file = path.join(home, "token");
	replace(file, fresh);
	return file;
}

/** The browsers that are signed in at a listener, as text. */
export interface BrowserFile {
	/** null if there never was one */
	read(): string | null;
	write(text: string): void;
}

export function browserFile(home: string, listener: "here" | "remote"): BrowserFile {
	const file = path.join(home, listener === "here" ? "browsers.json" : "browsers-remote.json");
	return { read: () => attempt(() => readFileSync(file, "utf8"), null), write: (text) => replace(file, text) };
}

/** The port of the last daemon, if it was asked for the same one: a browser's tabs and storage belong to a port. */
export function lastPort(home: string, wanted: number): number | null {
	const last = attempt((): Partial<LastPort> | null => JSON.parse(readFileSync(portFile(home), "utf8")), null);
	const isPort = Number.isInteger(last?.bound) && Number(last?.bound) > 0 && Number(last?.bound) < 65_536;
	return last?.wanted === wanted && isPort ? Number(last.bound) : null;
}

export const writeLastPort = (home: string, last: LastPort): void =>
	replace(portFile(home), `${JSON.stringify(last)}\n`);

interface LastPort {
	wanted: number;
	bound: number;
}

const portFile = (home: string): string => path.join(home, "port.json");

/** Written by the first start, which holds the home. */
function onceWritten(file: string, fresh: string): string {
	if (!existsSync(file)) replace(file, fresh);
	const written = contentOf(file);
	if (written.length < 16)
		throw new HomeUnusable(
			`${file} is damaged: it should hold a random word. Restore it, or remove it while no daemon is running to get a new one.`,
		);
	return written;
}

function contentOf(file: string): string {
	try {
		return readFileSync(file, "utf8").trim();
	} catch (error) {
		const { message, suggestions } = unreadableFile(file, { message: messageOf(error), code: codeOf(error) });
		throw new HomeUnusable(message, suggestions, error);
	}
}

/** Atomic and durable, readable only by its owner. */
function replace(file: string, text: string): void {
	const temporary = `${file}.${process.pid}`;
	rmSync(temporary, { force: true });
	const descriptor = openSync(temporary, "wx", 0o600);
	try {
		writeSync(descriptor, text);
		fsyncSync(descriptor);
	} finally {
		closeSync(descriptor);
	}
	renameSync(temporary, file);
	const folder = openSync(path.dirname(file), "r");
	fsyncSync(folder);
	closeSync(folder);
}

const daemonFile = (home: string): string => path.join(home, "daemon.json");

export const readDaemonFile = (home: string): DaemonFile | null =>
	attempt((): DaemonFile => JSON.parse(readFileSync(daemonFile(home), "utf8")), null);

export function writeDaemonFile(home: string, daemon: DaemonFile): void {
	replace(daemonFile(home), `${JSON.stringify(daemon)}\n`);
}

/** A daemon must not remove its successor's file. */
export function removeDaemonFile(home: string, pid: number): void {
	if (readDaemonFile(home)?.pid === pid) rmSync(daemonFile(home), { force: true });
}

/** A home has either a store of its own or a part in a database; never first one, then the other. */
export function checkStoreKind(home: string, kind: "sqlite" | "postgres"): void {
	if (kind === "sqlite" && isTied(home))
		throw new HomeUnusable(
			`${home} belongs to a PostgreSQL database, and none is named. Set BROOD_DATABASE_URL, or \`database\` in its config.yaml.`,
		);
	if (kind === "postgres" && existsSync(path.join(home, "brood.db")))
		throw new HomeUnusable(
			`${home} has a store of its own, brood.db. A daemon on PostgreSQL needs another home: choose one with BROOD_HOME.`,
		);
}

export const isTied = (home: string): boolean => existsSync(path.join(home, journalFile));

/** Ties the home to the database's journal, once; refuses another database. */
export function tieToJournal(home: string, journal: string): void {
	if (onceWritten(path.join(home, journalFile), journal) !== journal)
		throw new HomeUnusable(
			`${home} belongs to another database than the one that is named. Name that one, or choose another home with BROOD_HOME.`,
		);
}

/** which journal of a PostgreSQL database the home belongs to; not there if the home has its own store */
const journalFile = "postgres-journal";

/** says why this home's daemon stays down; the command line starts none by itself while it is there */
const replacedFile = "replaced";

export function noteReplaced(home: string, why: string): void {
	replace(path.join(home, replacedFile), `${why}\n`);
}

/** Somebody has started a daemon in spite of it. */
export function forgetReplaced(home: string): void {
	rmSync(path.join(home, replacedFile), { force: true });
}
