// What a repository brings along that an agent's program would run by itself: hooks, servers for tools, plugins. Vendors'
// programs start these without a question when nobody sits in front of them, so we ask, once for each content.
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";

export interface Brought {
	/** the files that it is in, for whoever is asked */
	files: string[];
	/** another one as soon as a single byte of them is another */
	fingerprint: string;
}

const places = [".claude", ".codex", ".gemini", ".opencode", ".mcp.json", "opencode.json", "opencode.jsonc"] as const;
/** Gemini lets the repository set any variable, those of the programs too that it starts */
const placesOf: Readonly<Record<string, readonly string[]>> = { gemini: [...places, ".env"] };
/** what a program writes there by itself, and words that are only read */
const harmless = /(^|\/)(node_modules|\.gitignore|package\.json|package-lock\.json|bun\.lockb?)(\/|$)|^\.(claude|opencode)\/(plans|worktrees)\//;
/** of a longer configuration no names of scripts are looked for: no person wrote it */
const configBytesMax = 4 * 1024 * 1024;

/** Every place that some program obeys, in lower case. */
export const trustPlaces: readonly string[] = [...new Set([...places, ...Object.values(placesOf).flat()])];

/** To agents of a type. Null if there is nothing of the kind. */
export async function broughtBy(folder: string, type = ""): Promise<Brought | null> {
	const found = (placesOf[type] ?? places).flatMap((place) => filesIn(folder, place));
	if (found.length === 0) return null;
	// a hook is as much as the script that it runs
	const scripts = scriptsIn(folder, found).filter((script) => !found.includes(script));
	const files = [...found, ...scripts];
	const hash = createHash("sha256");
	for (const file of files) hash.update(JSON.stringify([file, await contentOf(path.join(folder, file))]));
	return { files, fingerprint: hash.digest("hex") };
}

/** The files of a folder, in lower case, that some program's configuration names, and so may run. */
export function namedByConfiguration(folder: string): ReadonlySet<string> {
	const found = trustPlaces.flatMap((place) => filesIn(folder, place));
	return new Set(scriptsIn(folder, found).map((script) => script.toLowerCase()));
}

function scriptsIn(folder: string, configuration: readonly string[]): string[] {
	const root = realpathSync(folder);
	const texts = configuration.filter((file) => /\.(jsonc?|toml|ya?ml)$/i.test(file)).map((file) => textOf(root, path.join(folder, file)));
	const words = new Set(texts.flatMap((text) => text.split(/[\s"'`\\=,;:()[\]{}<>|&]+/)).filter((word) => word.length > 1 && word.length < 1024));
	return [...new Set([...words].flatMap((word) => fileNamed(root, word) ?? []))].sort();
}

/** `$CLAUDE_PROJECT_DIR/x.sh` and `/x.sh`, which is left of `${DIR}/x.sh`, are x.sh of the folder. */
function fileNamed(root: string, word: string): string | null {
	for (const name of [word, word.replace(/^\$\w+/, "").replace(/^\/+/, "./")]) {
		const real = realFile(path.resolve(root, name));
		if (real?.startsWith(root + path.sep) === true) return path.relative(root, real);
	}
	return null;
}

function realFile(file: string): string | null {
	try {
		const real = realpathSync(file);
		return statSync(real).isFile() ? real : null;
	} catch {
		return null;
	}
}

/** Never waits for a pipe that took the place of a file. */
const forReading = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Of a configuration that is in the folder; of what a link brings from elsewhere nothing is read. */
function textOf(root: string, file: string): string {
	const real = realFile(file);
	if (real === null || !real.startsWith(root + path.sep) || statSync(real).size > configBytesMax) return "";
	const descriptor = openSync(real, forReading | constants.O_NOFOLLOW);
	try {
		return fstatSync(descriptor).isFile() ? readFileSync(descriptor, "utf8") : "";
	} finally {
		closeSync(descriptor);
	}
}

function filesIn(folder: string, place: string): string[] {
	const root = realpathSync(folder);
	const found: string[] = [];
	const seen = new Set<string>();
	const look = (name: string): void => {
		const whole = path.join(folder, name);
		if (harmless.test(name)) return;
		const kind = seenAt(whole);
		if (kind === undefined && name === place) return;
		const real = kind?.isDirectory() === true ? realpathSync(whole) : null;
		// what is linked in the repository counts like the rest, each folder once; the repository has no say over what is elsewhere
		if (real === null || (name !== place && real !== root && !real.startsWith(root + path.sep))) {
			found.push(name);
			return;
		}
		if (seen.has(real)) return;
		seen.add(real);
		for (const each of readdirSync(whole).sort()) look(`${name}/${each}`);
	};
	look(place);
	return found;
}

/** By all of its bytes, however many there are. */
async function contentOf(file: string): Promise<string> {
	const seen = lstatSync(file, { throwIfNoEntry: false });
	const link = seen?.isSymbolicLink() === true ? `-> ${readlinkSync(file)} ` : "";
	const nothing = `${link}nothing to read`;
	if (seenAt(file)?.isFile() !== true) return nothing;
	if (seenAt(file)?.size === 0) return `${link}empty`;
	await using opened = await open(file, forReading);
	const before = await opened.stat({ bigint: true });
	if (!before.isFile()) return nothing;
	// the time of the last change is the disk's own, and nobody sets it back
	const key = [before.dev, before.ino, before.size, before.mtimeNs, before.ctimeNs].join();
	const known = digests.get(key);
	if (known !== undefined) return link + known;
	const hash = createHash("sha256");
	const chunk = Buffer.allocUnsafe(Number(before.size < chunkBytes ? before.size + 1n : chunkBytes));
	for (let { bytesRead } = await opened.read(chunk); bytesRead > 0; { bytesRead } = await opened.read(chunk)) hash.update(chunk.subarray(0, bytesRead));
	const digest = hash.digest("hex");
	const after = await opened.stat({ bigint: true });
	// what changed a moment ago may change again without another time
	const settled = after.ctimeNs === before.ctimeNs && performance.timeOrigin + performance.now() - Number(before.ctimeMs) > 2000;
	if (digests.size >= digestsMax) digests.clear();
	if (settled) digests.set(key, digest);
	return link + digest;
}

/** Digests of files that were read, so that no turn reads again what has not changed. */
const digests = new Map<string, string>();
const digestsMax = 10_000;
const chunkBytes = 1024n * 1024n;

/** A link that leads nowhere, or in a circle, is nothing to read. */
function seenAt(file: string): Stats | undefined {
	try {
		return statSync(file);
	} catch {
		return undefined;
	}
}
