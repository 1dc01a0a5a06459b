// The dashboard's files of a checkout: built at first need, and again after the source has changed. A release has them
// beside its programs.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

const sources = [
	"src/{surfaces/web,client,contract,domain,views}/**/*.*",
	"src/version.ts",
	"tools/web.ts",
	"package-lock.json",
];

const program = "import('./tools/web.ts').then(({ buildWeb }) => buildWeb(process.argv[1]))";

let built: Promise<string> | null = null;

/** The folder with the files of this source; a daemon serves the source that it was started from. */
export async function builtWeb(checkout: string): Promise<string> {
	built ??= buildOnce(checkout).catch((error: unknown) => {
		built = null;
		throw error;
	});
	return await built;
}

/** The folder is named after the source's content: another daemon may have another source. */
async function buildOnce(checkout: string): Promise<string> {
	const hash = createHash("sha256");
	for (const file of globSync(sources, { cwd: checkout }).toSorted())
		hash.update(`${file}\0`).update(readFileSync(path.join(checkout, file)));
	const folder = path.join(checkout, "node_modules/.cache/web", hash.digest("hex").slice(0, 16));
	if (existsSync(folder)) return folder;
	mkdirSync(path.dirname(folder), { recursive: true });
	const fresh = mkdtempSync(`${folder}-`);
	// a process of its own: the builder takes more memory than the daemon
	await promisify(execFile)(process.execPath, ["-e", program, fresh], { cwd: checkout });
	try {
		renameSync(fresh, folder);
	} catch {
		// another process was faster
		rmSync(fresh, { recursive: true });
	}
	return folder;
}
