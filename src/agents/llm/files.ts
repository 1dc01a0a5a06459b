// Reads and changes files inside the workspace only, whatever a path or a link says.
import { execFile } from "node:child_process";
import { lstatSync, mkdirSync, readFileSync, readlinkSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import path from "node:path";

const linesMax = 2000;
const lineLengthMax = 2000;
const fileBytesMax = 10 * 1024 * 1024;
const namesMax = 500;
const pinnedLengthMax = 200_000;
const grepMs = 30_000;

interface ReadRequest {
	path: string;
	offset?: number | undefined;
	limit?: number | undefined;
}

export function readFile({ path: name, offset = 1, limit = linesMax }: ReadRequest): string {
	const file = inside(name);
	if (statSync(file).size > fileBytesMax) throw new Error(`${name} is larger than ${fileBytesMax} bytes.`);
	const lines = readFileSync(file, "utf8").split("\n");
	const shown = lines
		.slice(offset - 1, offset - 1 + Math.min(limit, linesMax))
		.map((line, at) => `${offset + at}\t${line.slice(0, lineLengthMax)}`);
	const rest = lines.length - (offset - 1 + shown.length);
	return rest > 0 ? `${shown.join("\n")}\n[${rest} more lines]` : shown.join("\n");
}

export function writeFile({ path: name, content }: { path: string; content: string }): string {
	const file = writable(name);
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, content);
	return `wrote ${name}`;
}

export function editFile(edit: { path: string; old: string; new: string; all: boolean }): string {
	const { path: name, old, new: text, all } = edit;
	const file = writable(name);
	const before = readFileSync(file, "utf8");
	const times = before.split(old).length - 1;
	if (times === 0) throw new Error(`${name} does not have this text.`);
	if (times > 1 && !all)
		throw new Error(`${name} has this text ${times} times: say more of what is around it, or change all.`);
	writeFileSync(file, before.split(old).join(text));
	return `changed ${name}${times > 1 ? ` in ${times} places` : ""}`;
}

export async function findFiles({ pattern }: { pattern: string }): Promise<string> {
	if (path.isAbsolute(pattern) || pattern.split(/[\\/]/).includes(".."))
		throw new Error("A pattern stays inside of the workspace.");
	const found: string[] = [];
	// braces and links in a pattern may lead outside
	for await (const name of glob(pattern, { cwd: process.cwd(), exclude: (each) => skipped.has(path.basename(each)) }))
		if (isInside(name) && found.push(name) >= namesMax) break;
	const cut = found.length >= namesMax ? [`[only the first ${namesMax} are shown]`] : [];
	return [...found.sort(), ...cut].join("\n") || "no file has such a name";
}

export async function findText(
	{ pattern, path: name = ".", glob: only }: { pattern: string; path?: string | undefined; glob?: string | undefined },
	signal: AbortSignal,
): Promise<string> {
	const location = path.relative(process.cwd(), inside(name)) || ".";
	const filters = [
		...[...skipped].map((each) => `--exclude-dir=${each}`),
		...(only === undefined ? [] : [`--include=${only}`]),
	];
	const args = ["-rnIE", "--max-count=100", ...filters, "-e", pattern, "--", location];
	return await new Promise((resolve, reject) =>
		execFile("grep", args, { signal, timeout: grepMs, maxBuffer: 4 * 1024 * 1024 }, (error, out, problems) => {
			// grep exits with 1 if nothing matches
			if (error === null || error.code === 1) resolve(out === "" ? "nothing was found" : out);
			else reject(new Error(problems.trim() || error.message));
		}),
	);
}

/** The content of pinned files at the start of a turn; null if there are none. */
export function pinnedText(names: readonly string[]): string | null {
	if (names.length === 0) return null;
	let remaining = pinnedLengthMax;
	const parts = names.map((name) => {
		const text = textOf(name);
		const shown = text.slice(0, remaining).toWellFormed();
		remaining -= shown.length;
		return [
			`[the file ${name}]`,
			shown,
			...(shown.length < text.length ? ["[truncated: the rest is too long]"] : []),
		].join("\n");
	});
	return `${parts.join("\n")}\n[end of the files]`;
}

function textOf(name: string): string {
	try {
		const file = inside(name);
		return statSync(file).size > fileBytesMax ? "(too large)" : readFileSync(file, "utf8");
	} catch {
		return "(it is not there)";
	}
}

const skipped: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** The real path of an existing or new file; throws if it is outside the workspace. */
function inside(name: string): string {
	const root = realpathSync(process.cwd());
	const file = realOf(path.resolve(root, name));
	if (file !== root && !file.startsWith(root + path.sep)) throw new Error(`${name} is not in the workspace.`);
	return file;
}

function isInside(name: string): boolean {
	try {
		return inside(name) !== "";
	} catch {
		return false;
	}
}

/** Compared in lower case, since some file systems ignore case. */
function writable(name: string): string {
	const file = inside(name);
	const names = path.relative(realpathSync(process.cwd()), file).toLowerCase().split(path.sep);
	if (names.includes(".git")) throw new Error("What git keeps for itself is not written to.");
	return file;
}

const linksMax = 40;

/**
 * Also resolves paths that do not exist yet, through links to missing files: a write would follow these too.
 */
function realOf(file: string, links = 0): string {
	try {
		return realpathSync(file);
	} catch (error) {
		const parent = path.dirname(file);
		const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
		if (!missing || parent === file || links > linksMax) throw error;
		const location = path.join(realOf(parent, links), path.basename(file));
		const isLink = lstatSync(location, { throwIfNoEntry: false })?.isSymbolicLink() === true;
		return isLink ? realOf(path.resolve(path.dirname(location), readlinkSync(location)), links + 1) : location;
	}
}
