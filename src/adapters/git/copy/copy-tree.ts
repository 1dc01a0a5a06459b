// Copies a working tree with modes, links and times. The disk shares the blocks where it can.
import { spawn } from "node:child_process";
import { constants, type Dirent } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readdir, readlink, symlink, utimes } from "node:fs/promises";
import path from "node:path";
import { type ByteName, parentFolders, pathOf } from "../format/names.ts";

export interface CopyRequest {
	from: string;
	to: string;
	/** files and folders that are not copied, folders without a slash */
	leave: ReadonlySet<ByteName>;
	signal?: AbortSignal | undefined;
}

/** The arguments of one `cp`: entries of one folder that are copied whole. */
interface Group {
	folder: ByteName;
	names: string[];
}

const argumentBytesMax = 100_000;
const parallel = 2;

export async function copyTree(request: CopyRequest): Promise<void> {
	const groups = await groupsOf(request);
	let next = 0;
	const worker = async (): Promise<void> => {
		for (let group = groups[next++]; group !== undefined; group = groups[next++]) await copyGroup(request, group);
	};
	await Promise.all(Array.from({ length: parallel }, worker));
}

/** Folders with nothing to leave are copied whole; the others are made here, and their entries planned one by one. */
async function groupsOf({ from, to, leave }: CopyRequest): Promise<Group[]> {
	const mixed = new Set([...leave].flatMap(parentFolders));
	const groups: Group[] = [];
	const waiting: ByteName[] = [""];
	for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
		const names: string[] = [];
		for (const entry of await entriesOf(from, folder)) {
			const name = `${folder === "" ? "" : `${folder}/`}${entry.name.toString("latin1")}`;
			const text = entry.name.toString();
			if (leave.has(name)) continue;
			// a name that is not UTF-8 cannot be an argument
			const whole =
				Buffer.from(text).equals(entry.name) && !(entry.isDirectory() && (mixed.has(name) || isBytes(folder)));
			if (whole && !isBytes(folder)) names.push(text);
			else if (entry.isDirectory()) {
				const { mode } = await lstat(pathOf(from, name));
				await mkdir(pathOf(to, name), { mode, recursive: true });
				waiting.push(name);
			} else await copyOne(from, to, name, entry);
		}
		groups.push(...inCalls(folder, names));
	}
	return groups;
}

const isBytes = (name: ByteName): boolean =>
	!Buffer.from(Buffer.from(name, "latin1").toString()).equals(Buffer.from(name, "latin1"));

async function entriesOf(from: string, folder: ByteName): Promise<Dirent<Buffer>[]> {
	return await readdir(folder === "" ? from : pathOf(from, folder), { withFileTypes: true, encoding: "buffer" });
}

/** In several calls, so that no argument list is too long and the calls run in parallel. */
function inCalls(folder: ByteName, names: readonly string[]): Group[] {
	if (names.length === 0) return [];
	const share = folder === "" ? Math.max(1, Math.ceil(names.length / (parallel * 2))) : names.length;
	const groups: Group[] = [];
	let [bytes, current]: [number, string[]] = [0, []];
	for (const name of names) {
		if (current.length > 0 && (bytes + name.length > argumentBytesMax || current.length >= share)) {
			groups.push({ folder, names: current });
			[bytes, current] = [0, []];
		}
		current.push(name);
		bytes += Buffer.byteLength(name) + 1;
	}
	return [...groups, { folder, names: current }];
}

// Without owner and extended attributes, which are the same for all files of an agent, a copy takes a quarter less
// time. Modes are kept because of the umask.
const lean = ["sh", "-c", 'umask 0; exec cp -dR --preserve=timestamps,links --reflink=auto "$@"', "cp"] as const;

async function copyGroup({ from, to, signal }: CopyRequest, { folder, names }: Group): Promise<void> {
	const location = Buffer.from(folder, "latin1").toString();
	const [command, ...how] = process.platform === "darwin" ? (["cp", "-a", "-c"] as const) : lean;
	await run(command, [...how, "--", ...names, path.join(to, location, "/")], path.join(from, location), signal);
}

async function run(command: string, args: readonly string[], folder: string, signal?: AbortSignal): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		const child = spawn(command, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"], signal });
		let errors = "";
		child.stderr.on("data", (chunk: Buffer) => {
			errors = (errors + chunk.toString()).slice(0, 2000);
		});
		child.on("error", reject);
		child.on("close", (code) =>
			code === 0 ? resolve() : reject(new Error(`${command} failed in ${folder}: ${errors.trim()}`)),
		);
	});
}

async function copyOne(from: string, to: string, name: ByteName, entry: Dirent<Buffer>): Promise<void> {
	const [source, target] = [pathOf(from, name), pathOf(to, name)];
	if (entry.isSymbolicLink()) return await symlink(await readlink(source, { encoding: "buffer" }), target);
	if (!entry.isFile()) return;
	await copyFile(source, target, constants.COPYFILE_FICLONE);
	const { mode, atimeMs, mtimeMs } = await lstat(source);
	await chmod(target, mode);
	await utimes(target, atimeMs / 1000, mtimeMs / 1000);
}
