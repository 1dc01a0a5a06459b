// Imports objects from a sandbox. They arrive as a pack through a pipe, in a separate folder. Git checks each of them
// (name, content, references) before any is moved to the project's git objects. Names are hashes of the content, so no
// object of the project can be replaced, and the caller chooses the refs, not the sandbox.
import { mkdir, open, readdir, rename } from "node:fs/promises";
import path from "node:path";
import { PassThrough } from "node:stream";
import { readRegular } from "#adapters/system/regular-file.ts";
import { expected } from "#contract/log.ts";
import { type Git, GitFailed } from "../run/git.ts";
import { repositoryPathsOf } from "../run/repository-paths.ts";
import { dropQuarantine } from "../snapshot/destroy.ts";
import { SandboxFault } from "../worker/workers.ts";

export interface ObjectImport {
	git: Git;
	/** the project's repository */
	repository: string;
	salt: string;
	/** commits or trees that must be complete afterwards */
	want: readonly string[];
	/** commits that the project has */
	have: readonly string[];
	/** the objects are checked and dropped again */
	onlyCheck?: boolean;
	/** makes the sandbox send its pack */
	send(take: (chunk: Buffer) => Promise<void>): Promise<void>;
}

const packBytesMax = 4 * 1024 * 1024 * 1024;
const checkTimeoutMs = 10 * 60 * 1000;
/** as `index-pack --strict` reports it: `error: object 1234…: hasDotgit: contains '.git'` */
const fsckError = /^error: (object [0-9a-f]{40,64}: \w+: .*)$/m;
/** smaller packs are unpacked: one pack per turn would slow down every lookup */
const looseMax = { objects: 100, bytes: 8 * 1024 * 1024 };

/** Git's checks found an object that no repository of ours may contain, such as a tree with a `.git` in it. */
export class RefusedObjects extends SandboxFault {}

/** Resolves when all wanted objects are with the project's, checked and durable. */
export async function importObjects(request: ObjectImport): Promise<void> {
	const { git, repository, salt, want, have, send, onlyCheck = false } = request;
	const { commonFolder } = await repositoryPathsOf(repository, {});
	if (commonFolder === null) throw new Error(`${repository} is not a repository`);
	const objects = path.join(commonFolder, "objects");
	// git's own prefix for such folders, so that its gc removes them after a crash
	const quarantine = path.join(objects, `tmp_objdir-brood-${salt}`);
	const environment = {
		GIT_OBJECT_DIRECTORY: quarantine,
		GIT_ALTERNATE_OBJECT_DIRECTORIES: objects,
		GIT_QUARANTINE_PATH: quarantine,
	};
	await mkdir(path.join(quarantine, "pack"), { recursive: true, mode: 0o700 });
	try {
		await receive(git, repository, environment, send);
		const input = [...want, ...have.map((commit) => `^${commit}`)].map((name) => `${name}\n`).join("");
		// fails if anything that they refer to is missing
		await git(repository, ["rev-list", "--objects", "--quiet", "--stdin"], {
			environment,
			input,
			timeoutMs: checkTimeoutMs,
		});
		if (!onlyCheck) await move(git, repository, quarantine, objects);
	} catch (error) {
		const [, problem] = (error instanceof GitFailed && fsckError.exec(error.errors)) || [];
		throw problem === undefined ? error : new RefusedObjects(`git refuses its commits: ${problem}`);
	} finally {
		await dropQuarantine(quarantine);
	}
}

async function receive(
	git: Git,
	repository: string,
	environment: Record<string, string>,
	send: ObjectImport["send"],
): Promise<void> {
	const input = new PassThrough();
	const args = ["-c", "core.fsync=none", "index-pack", "--stdin", "--strict", `--max-input-size=${packBytesMax}`];
	const received = git(repository, args, { environment, input, timeoutMs: checkTimeoutMs });
	// git may reject the pack before it was sent completely
	received.catch(expected("it is awaited below"));
	try {
		await send(async (chunk) => await new Promise((resolve) => void input.write(chunk, () => resolve())));
	} finally {
		input.end();
		await received;
	}
}

async function move(git: Git, repository: string, quarantine: string, objects: string): Promise<void> {
	for (const name of await readdir(path.join(quarantine, "pack"))) {
		if (!name.endsWith(".pack")) continue;
		const file = path.join(quarantine, "pack", name);
		const pack = await readRegular(file, { bytesMax: looseMax.bytes }).catch(() => null);
		const count = pack === null || pack.length < 12 ? null : pack.readUInt32BE(8);
		if (count === 0) continue;
		if (pack !== null && count !== null && count <= looseMax.objects)
			await git(repository, ["unpack-objects", "-q"], { input: pack });
		else await movePack(file, path.join(objects, "pack"));
	}
}

/** The index last: git ignores a pack without it. */
async function movePack(file: string, to: string): Promise<void> {
	const stem = file.slice(0, -".pack".length);
	await mkdir(to, { recursive: true });
	for (const end of [".pack", ".rev", ".idx"]) {
		await using part = await open(`${stem}${end}`).catch(() => null);
		if (part === null) continue;
		await part.sync();
		await rename(`${stem}${end}`, path.join(to, `${path.basename(stem)}${end}`));
	}
	await using folder = await open(to);
	await folder.sync();
}
