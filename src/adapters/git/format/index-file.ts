// Git's index file: versions 2 to 4, SHA-1 or SHA-256. Reads the entries, writes the stat data of a copied tree into
// them, and leaves out what is only valid in the old place.
import { createHash } from "node:crypto";

export interface IndexEntry {
	/** the offset of its stat data */
	at: number;
	mode: number;
	id: Buffer;
	stage: number;
	assumeUnchanged: boolean;
	skipWorktree: boolean;
	path: Buffer;
}

export interface IndexFile {
	entries: IndexEntry[];
	extensions: { name: string; bytes: Buffer }[];
	/** the offset after the last entry */
	end: number;
}

export const gitlink = 0o160000;
const statLength = 40;

export function parseIndex(bytes: Buffer, hashLength: number): IndexFile {
	if (bytes.length < 12 + hashLength || bytes.toString("latin1", 0, 4) !== "DIRC")
		throw new Error("this is not an index of git");
	const version = bytes.readUInt32BE(4);
	if (version < 2 || version > 4) throw new Error(`an index of version ${version} is not known`);
	const count = bytes.readUInt32BE(8);
	const entries: IndexEntry[] = [];
	let at = 12;
	let last: Buffer = Buffer.alloc(0);
	for (let number = 0; number < count; number++) {
		const flagsAt = at + statLength + hashLength;
		const flags = bytes.readUInt16BE(flagsAt);
		const extended = (flags & 0x4000) !== 0;
		const more = extended ? bytes.readUInt16BE(flagsAt + 2) : 0;
		const nameAt = flagsAt + (extended ? 4 : 2);
		const name = version === 4 ? compressedName(bytes, nameAt, last) : plainName(bytes, nameAt, at);
		entries.push({
			at,
			mode: bytes.readUInt32BE(at + 24),
			id: bytes.subarray(at + statLength, flagsAt),
			stage: (flags >> 12) & 3,
			assumeUnchanged: (flags & 0x8000) !== 0,
			skipWorktree: (more & 0x4000) !== 0,
			path: name.path,
		});
		last = name.path;
		at = name.next;
	}
	return { entries, extensions: extensionsOf(bytes, at, hashLength), end: at };
}

function plainName(bytes: Buffer, nameAt: number, entryAt: number): { path: Buffer; next: number } {
	const end = endOfName(bytes, nameAt);
	// padded with one to eight zeros to a multiple of eight
	return { path: bytes.subarray(nameAt, end), next: entryAt + Math.floor((end - entryAt + 8) / 8) * 8 };
}

function compressedName(bytes: Buffer, nameAt: number, last: Buffer): { path: Buffer; next: number } {
	let at = nameAt;
	let byte = bytes.readUInt8(at++);
	let strip = byte & 127;
	while ((byte & 128) !== 0) {
		byte = bytes.readUInt8(at++);
		strip = (strip + 1) * 128 + (byte & 127);
	}
	const end = endOfName(bytes, at);
	return { path: Buffer.concat([last.subarray(0, last.length - strip), bytes.subarray(at, end)]), next: end + 1 };
}

function endOfName(bytes: Buffer, from: number): number {
	const end = bytes.indexOf(0, from);
	if (end < 0) throw new Error("this index of git ends in the middle of a name");
	return end;
}

function extensionsOf(bytes: Buffer, from: number, hashLength: number): { name: string; bytes: Buffer }[] {
	const found: { name: string; bytes: Buffer }[] = [];
	for (let at = from; at + 8 <= bytes.length - hashLength; ) {
		const length = bytes.readUInt32BE(at + 4);
		found.push({ name: bytes.toString("latin1", at, at + 4), bytes: bytes.subarray(at, at + 8 + length) });
		at += 8 + length;
	}
	return found;
}

export interface FileStat {
	ctimeNs: bigint;
	mtimeNs: bigint;
	dev: bigint;
	ino: bigint;
	uid: bigint;
	gid: bigint;
	size: bigint;
}

const second = 1_000_000_000n;

/** Whether the entry has this size and modification time. */
export function sameFile(bytes: Buffer, entry: IndexEntry, { mtimeNs, size }: FileStat): boolean {
	return (
		bytes.readUInt32BE(entry.at + 8) === low(mtimeNs / second) &&
		bytes.readUInt32BE(entry.at + 12) === low(mtimeNs % second) &&
		bytes.readUInt32BE(entry.at + 36) === low(size)
	);
}

/** Whether the entry has all of this stat data that git compares by default. */
export function sameStat(bytes: Buffer, entry: IndexEntry, stat: FileStat): boolean {
	return (
		sameFile(bytes, entry, stat) &&
		bytes.readUInt32BE(entry.at) === low(stat.ctimeNs / second) &&
		bytes.readUInt32BE(entry.at + 4) === low(stat.ctimeNs % second) &&
		bytes.readUInt32BE(entry.at + 20) === low(stat.ino)
	);
}

export function writeStat(bytes: Buffer, entry: IndexEntry, stat: FileStat): void {
	const numbers = [
		stat.ctimeNs / second,
		stat.ctimeNs % second,
		stat.mtimeNs / second,
		stat.mtimeNs % second,
		stat.dev,
		stat.ino,
	];
	for (const [index, value] of numbers.entries()) bytes.writeUInt32BE(low(value), entry.at + index * 4);
	for (const [index, value] of [stat.uid, stat.gid, stat.size].entries())
		bytes.writeUInt32BE(low(value), entry.at + 28 + index * 4);
}

const low = (value: bigint): number => Number(BigInt.asUintN(32, value));

/** Extensions with caches of the working tree, or offsets in the file. */
const local = ["UNTR", "FSMN", "EOIE", "IEOT"];

/** The index file for another working tree. */
export function rewriteIndex(
	bytes: Buffer,
	{ extensions, end }: IndexFile,
	hashLength: number,
	drop: readonly string[] = local,
): Buffer {
	const body = Buffer.concat([
		bytes.subarray(0, end),
		...extensions.filter(({ name }) => !drop.includes(name)).map((extension) => extension.bytes),
	]);
	const hash = createHash(hashLength === 32 ? "sha256" : "sha1")
		.update(body)
		.digest();
	return Buffer.concat([body, hash]);
}

/** Without stat data and caches: the bytes change only when something is staged. */
export function withoutStatData(bytes: Buffer, index: IndexFile, hashLength: number): Buffer {
	const copy = Buffer.from(bytes);
	for (const { at } of index.entries) copy.fill(0, at, at + 24).fill(0, at + 28, at + statLength);
	return rewriteIndex(copy, index, hashLength, [...local, "TREE"]);
}

/**
 * Only what is staged: no stat data, no caches and no assume-unchanged flags, so that git reads every file. An entry
 * keeps its skip-worktree flag only if its file is `absent`.
 */
export function withoutStatCache(
	bytes: Buffer,
	index: IndexFile,
	hashLength: number,
	absent: (name: Buffer) => boolean,
): Buffer {
	const copy = Buffer.from(bytes);
	for (const { at, skipWorktree, path } of index.entries) {
		const flagsAt = at + statLength + hashLength;
		copy.writeUInt16BE(copy.readUInt16BE(flagsAt) & 0x7fff, flagsAt);
		if (skipWorktree && !absent(path)) copy.writeUInt16BE(copy.readUInt16BE(flagsAt + 2) & 0xbfff, flagsAt + 2);
	}
	return withoutStatData(copy, index, hashLength);
}

/** The tree of all entries, if git noted it in the index and nothing was staged since. */
export function cachedTree({ extensions }: IndexFile, hashLength: number): string | null {
	const bytes = extensions.find(({ name }) => name === "TREE")?.bytes.subarray(8);
	// the root has no name; a count of -1 means that entries have changed
	const start = /^\0\d+ \d+\n/.exec(bytes?.toString("latin1", 0, 40) ?? "")?.[0].length;
	if (bytes === undefined || start === undefined || bytes.length < start + hashLength) return null;
	return bytes.toString("hex", start, start + hashLength);
}

/** The index is split over two files. */
export function isSplit({ extensions }: IndexFile): boolean {
	return extensions.some(({ name }) => name === "link");
}
