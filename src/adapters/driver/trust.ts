// What a repository brings along that an agent's program would run by itself: hooks, servers for tools, plugins. Vendors'
// programs start these without a question when nobody sits in front of them, so we ask, once for each content.
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
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
/** of more files than this the rest is only looked at from outside: reading all of them would keep the daemon busy */
const filesMax = 1000;
const fileBytesMax = 1024 * 1024;

/** To agents of a type. Null if there is nothing of the kind. */
export function broughtBy(folder: string, type = ""): Brought | null {
	const files = (placesOf[type] ?? places).flatMap((place) => filesIn(folder, place));
	if (files.length === 0) return null;
	const hash = createHash("sha256");
	for (const [at, file] of files.entries()) hash.update(JSON.stringify([file, contentOf(path.join(folder, file), at < filesMax ? fileBytesMax : 0)]));
	return { files, fingerprint: hash.digest("hex") };
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

/** Of what is too large to be read: how large it is and when it changed. */
function contentOf(file: string, bytesMax: number): string {
	const seen = lstatSync(file);
	const link = seen.isSymbolicLink() ? `-> ${readlinkSync(file)} ` : "";
	const found = seenAt(file);
	if (found === undefined || !found.isFile()) return `${link}nothing to read`;
	if (found.size > bytesMax) return `${link}${found.size} bytes of ${found.mtimeMs}`;
	const content = regularContent(file);
	return content === null ? `${link}nothing to read` : `${link}${createHash("sha256").update(content).digest("hex")}`;
}

/** Never waits: what was a file a moment ago may be a pipe by now. */
function regularContent(file: string): Buffer | null {
	const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
	try {
		return fstatSync(descriptor).isFile() ? readFileSync(descriptor) : null;
	} finally {
		closeSync(descriptor);
	}
}

/** A link that leads nowhere, or in a circle, is nothing to read. */
function seenAt(file: string): Stats | undefined {
	try {
		return statSync(file);
	} catch {
		return undefined;
	}
}
