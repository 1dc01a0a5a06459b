// Files of a repository that an agent's program runs without asking: hooks, MCP servers, plugins. Vendors' programs
// start these when they run headless, so we ask, once for each content.
import { createHash } from "node:crypto";
import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { open, opendir } from "node:fs/promises";
import path from "node:path";
import { setImmediate as yieldToLoop } from "node:timers/promises";
import { messageOf } from "#contract/message-of.ts";
import { attempt } from "../system/errors.ts";
import { NotRegular, readRegularNow, safeOpenFlags } from "../system/regular-file.ts";
import { allVendors, vendors } from "./vendors/vendors.ts";

export interface AutorunFiles {
	/** shown with the question */
	files: string[];
	/** changes with every byte of them */
	fingerprint: string;
}

/** files that programs write themselves, and texts that are only read */
const harmless = [
	/(^|\/)(node_modules|\.gitignore|package\.json|package-lock\.json|bun\.lockb?)(\/|$)/,
	...allVendors.flatMap(({ trust }) => trust.harmless ?? []),
];

/** Files and folders that some vendor's program obeys in any folder. */
export const obeyedPaths: readonly string[] = allVendors.flatMap(({ trust }) => trust.obeys);

/** The same, and those that only one vendor's program obeys; in lower case. */
export const autorunPaths: readonly string[] = [
	...obeyedPaths,
	...allVendors.flatMap(({ trust }) => trust.obeysAlone ?? []),
];

const mib = 1024 * 1024;
/** Larger than any real configuration. More is refused as a whole, since nobody could review it. */
const most = { entries: 10_000, depth: 64, bytes: 1024 * mib, textBytes: 16 * mib, words: 50_000 } as const;
/** yields to other work after so many */
const strideMax = 100;

/** Why a repository's files cannot be checked: a sentence for the person who waits for the turn. */
export class TooMuch extends Error {
	override readonly name = "TooMuch";
	constructor(what: string) {
		super(`The repository's agent configuration cannot be checked: ${what}. Reduce or remove it.`);
	}
}

/** What was read so far, in total. */
interface Count {
	entries: number;
	bytes: number;
}

/** For agents of a type. Null if there are none. Throws `TooMuch`. */
export async function findAutorunFiles(folder: string, type = ""): Promise<AutorunFiles | null> {
	const count: Count = { entries: 0, bytes: 0 };
	const found = await filesAt(folder, [...obeyedPaths, ...(vendors[type]?.trust.obeysAlone ?? [])], count);
	if (found.length === 0) return null;
	// a hook includes the script that it runs
	const known = new Set(found);
	const { named, packages } = await scriptsIn(folder, found);
	const scripts = named.filter((script) => !known.has(script));
	const hash = createHash("sha256");
	for (const file of [...found, ...scripts])
		hash.update(JSON.stringify([file, await contentOf(path.join(folder, file), count)]));
	const more = [...packages].filter(([file]) => !known.has(file) && !scripts.includes(file));
	for (const each of more) hash.update(JSON.stringify(each));
	return { files: [...found, ...scripts, ...more.map(([file]) => file)], fingerprint: hash.digest("hex") };
}

/** The files of a folder, in lower case, that some program's configuration names and may run. Throws `TooMuch`. */
export async function namedByConfiguration(folder: string): Promise<ReadonlySet<string>> {
	const found = await filesAt(folder, autorunPaths, { entries: 0, bytes: 0 });
	const { named, packages } = await scriptsIn(folder, found);
	return new Set([...named, ...packages.keys()].map((script) => script.toLowerCase()));
}

/** Files of the folder that a configuration runs, and the named scripts of packages. */
interface Scripts {
	named: string[];
	packages: ReadonlyMap<string, string>;
}

async function scriptsIn(folder: string, configuration: readonly string[]): Promise<Scripts> {
	const root = realpathSync(folder);
	const words = new Set<string>();
	let bytes = 0;
	for (const file of configuration.filter((each) => /\.(jsonc?|toml|ya?ml)$/i.test(each))) {
		const text = textOf(root, path.join(folder, file), most.textBytes - bytes);
		if (text === null) throw new TooMuch(`its configuration has more than ${most.textBytes / mib} MiB, at ${file}`);
		bytes += text.length;
		for (const word of wordsIn(text)) words.add(word);
		if (words.size > most.words) throw new TooMuch(`its configuration has more than ${most.words} words, at ${file}`);
		await yieldToLoop();
	}
	const packages = packagesRun(root, words);
	for (const text of packages.values()) for (const word of wordsIn(text)) words.add(word);
	const scripts = new Set<string>(recipesRun(root, words));
	let looked = 0;
	for (const word of words) {
		const script = fileNamed(root, word);
		if (script !== null) scripts.add(script);
		if (++looked % strideMax === 0) await yieldToLoop();
	}
	return { named: [...scripts].sort(), packages };
}

const wordsIn = (text: string): string[] =>
	text.split(/[\s"'`\\=,;:()[\]{}<>|&]+/).filter((word) => word.length > 1 && word.length < 1024);

const packageRunners: readonly string[] = ["npm", "pnpm", "yarn", "bun", "--run"];
/** files that other programs read by default */
const recipes: Readonly<Record<string, readonly string[]>> = {
	make: ["GNUmakefile", "makefile", "Makefile"],
	just: ["justfile", "Justfile", ".justfile"],
	deno: ["deno.json", "deno.jsonc"],
};

/** `npm run x` runs a script of package.json, here or in a folder that is named too. Its other fields may change. */
function packagesRun(root: string, words: ReadonlySet<string>): ReadonlyMap<string, string> {
	const found = new Map<string, string>();
	if (!packageRunners.some((runner) => words.has(runner))) return found;
	for (const folder of [".", ...words]) {
		const file = fileNamed(root, `${folder}/package.json`);
		const text = file === null ? null : textOf(root, path.join(root, file), most.textBytes);
		if (file !== null) found.set(file, text === null ? "too long" : scriptsOf(text));
	}
	return found;
}

const recipesRun = (root: string, words: ReadonlySet<string>): string[] =>
	Object.entries(recipes).flatMap(([program, files]) =>
		words.has(program) ? files.flatMap((file) => fileNamed(root, file) ?? []) : [],
	);

const scriptsOf = (text: string): string =>
	attempt(() => JSON.stringify(Reflect.get(Object(JSON.parse(text)), "scripts") ?? {}), text);

/** `$CLAUDE_PROJECT_DIR/x.sh` and `/x.sh`, the rest of `${DIR}/x.sh`, mean x.sh of the folder. */
function fileNamed(root: string, word: string): string | null {
	for (const name of [word, word.replace(/^\$\w+/, "").replace(/^\/+/, "./")]) {
		const real = realFile(path.resolve(root, name));
		if (real?.startsWith(root + path.sep) === true) return path.relative(root, real);
	}
	return null;
}

function realFile(file: string): string | null {
	const real = attempt(() => realpathSync(file), null);
	return real !== null && seenAt(real)?.isFile() === true ? real : null;
}

/** The text of a file in the folder; empty for a link to elsewhere. Null if it is longer than `bytesMax`. */
function textOf(root: string, file: string, bytesMax: number): string | null {
	const real = realFile(file);
	if (real === null || !real.startsWith(root + path.sep)) return "";
	try {
		const bytes = readRegularNow(real, { bytesMax });
		return bytes === "too large" ? null : bytes.toString();
	} catch (error) {
		if (error instanceof NotRegular) return "";
		throw error;
	}
}

async function filesAt(folder: string, all: readonly string[], count: Count): Promise<string[]> {
	const found: string[] = [];
	for (const location of all)
		if (seenAt(path.join(folder, location)) !== undefined) found.push(...(await filesIn(folder, location, count)));
	return found;
}

async function filesIn(folder: string, location: string, count: Count): Promise<string[]> {
	const root = realpathSync(folder);
	const found: string[] = [];
	const seen = new Set<string>();
	const look = async (name: string, depth: number): Promise<void> => {
		const whole = path.join(folder, name);
		if (harmless.some((each) => each.test(name))) return;
		if (++count.entries % strideMax === 0) await yieldToLoop();
		const real = seenAt(whole)?.isDirectory() === true ? realpathSync(whole) : null;
		// links inside the repository are followed, each folder once; others are not
		if (real === null || (name !== location && real !== root && !real.startsWith(root + path.sep))) {
			found.push(name);
			return;
		}
		if (seen.has(real)) return;
		seen.add(real);
		if (depth > most.depth) throw new TooMuch(`${location} has folders more than ${most.depth} deep`);
		for (const each of await namesIn(whole, location, count)) await look(`${name}/${each}`, depth + 1);
	};
	await look(location, 0);
	return found;
}

async function namesIn(folder: string, location: string, count: Count): Promise<string[]> {
	const names: string[] = [];
	try {
		for await (const { name } of await opendir(folder, { bufferSize: 256 })) {
			names.push(name);
			if (count.entries + names.length > most.entries)
				throw new TooMuch(`${location} has more than ${most.entries} files`);
		}
	} catch (error) {
		if (error instanceof TooMuch) throw error;
		throw new TooMuch(`a folder in ${location} cannot be read (${messageOf(error)})`);
	}
	return names.sort();
}

/** A digest of all bytes. */
async function contentOf(file: string, count: Count): Promise<string> {
	const seen = lstatSync(file, { throwIfNoEntry: false });
	const link = seen?.isSymbolicLink() === true ? `-> ${readlinkSync(file)} ` : "";
	const nothing = `${link}nothing to read`;
	if (seenAt(file)?.isFile() !== true) return nothing;
	if (seenAt(file)?.size === 0) return `${link}empty`;
	await using opened = await open(file, safeOpenFlags);
	const before = await opened.stat({ bigint: true });
	if (!before.isFile()) return nothing;
	counted(count, Number(before.size));
	// ctime cannot be set back
	const key = [before.dev, before.ino, before.size, before.mtimeNs, before.ctimeNs].join();
	const known = digests.get(key);
	if (known !== undefined) return link + known;
	const hash = createHash("sha256");
	const chunk = Buffer.allocUnsafe(Number(before.size < chunkBytes ? before.size + 1n : chunkBytes));
	let left = Number(before.size);
	for (let { bytesRead } = await opened.read(chunk); bytesRead > 0; { bytesRead } = await opened.read(chunk)) {
		hash.update(chunk.subarray(0, bytesRead));
		// it may grow while it is read
		left -= bytesRead;
		if (left < 0) counted(count, bytesRead);
	}
	const digest = hash.digest("hex");
	const after = await opened.stat({ bigint: true });
	// a recent change may be followed by another with the same time
	const settled =
		after.ctimeNs === before.ctimeNs && performance.timeOrigin + performance.now() - Number(before.ctimeMs) > 2000;
	if (digests.size >= digestsMax) digests.clear();
	if (settled) digests.set(key, digest);
	return link + digest;
}

function counted(count: Count, bytes: number): void {
	count.bytes += bytes;
	if (count.bytes > most.bytes) throw new TooMuch(`it has more than ${most.bytes / mib} MiB`);
}

/** Digests of files, so that no turn reads an unchanged file again. */
const digests = new Map<string, string>();
const digestsMax = 10_000;
const chunkBytes = 1024n * 1024n;

/** Undefined for a broken link too. */
const seenAt = (file: string): Stats | undefined => attempt(() => statSync(file), undefined);
