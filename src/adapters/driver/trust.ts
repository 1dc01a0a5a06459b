// What a repository brings along that an agent's program would run by itself: hooks, servers for tools, plugins. Vendors'
// programs start these without a question when nobody sits in front of them, so we ask, once for each content.
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import path from "node:path";

export interface Brought {
	/** the files that it is in, for whoever is asked */
	files: string[];
	/** another one as soon as a single byte of them is another */
	fingerprint: string;
}

const places = [".claude", ".codex", ".gemini", ".opencode", ".mcp.json", "opencode.json", "opencode.jsonc"] as const;
/** what a program writes there by itself, and words that are only read */
const harmless = /(^|\/)(node_modules|\.gitignore|package\.json|package-lock\.json|bun\.lockb?)(\/|$)|^\.(claude|opencode)\/(plans|worktrees)\//;
const filesMax = 1000;
const fileBytesMax = 1024 * 1024;

/** Null if there is nothing of the kind. */
export function broughtBy(folder: string): Brought | null {
	const files = places.flatMap((place) => filesIn(folder, place)).filter((file) => !harmless.test(file));
	if (files.length === 0) return null;
	const hash = createHash("sha256");
	for (const file of files) hash.update(JSON.stringify([file, contentOf(path.join(folder, file))]));
	return { files, fingerprint: hash.digest("hex") };
}

function filesIn(folder: string, place: string): string[] {
	const whole = path.join(folder, place);
	if (!existsSync(whole)) return [];
	if (!statSync(whole).isDirectory()) return [place];
	const found = readdirSync(whole, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
	return found
		.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
		.sort()
		.slice(0, filesMax);
}

/** Of what is too large to be read: how large it is and when it changed. */
function contentOf(file: string): string {
	const seen = lstatSync(file);
	const link = seen.isSymbolicLink() ? `-> ${readlinkSync(file)} ` : "";
	const found = statSync(file, { throwIfNoEntry: false });
	if (found === undefined || !found.isFile()) return `${link}nothing to read`;
	if (found.size > fileBytesMax) return `${link}${found.size} bytes of ${found.mtimeMs}`;
	return `${link}${createHash("sha256").update(readFileSync(file)).digest("hex")}`;
}
