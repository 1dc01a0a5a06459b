// System calls that are blocked in a sandbox. Kernel keyrings belong to a user or a session, and no namespace separates
// them: every agent that runs as the same user could use the person's kernel keys (ssh, Kerberos, encrypted folders).
// The calls fail as in a kernel without keyrings.
import { openSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolderNow } from "./temporary.ts";

/** By audit architecture: the number of add_key, which request_key and keyctl follow. */
const keyCalls = new Map([
	[0xc000003e, 248], // x86-64
	[0x40000003, 286], // programs for i386 on it
	[0xc00000b7, 217], // arm64
	[0x40000028, 309], // programs for 32-bit arm on it
]);
const architectures: readonly string[] = ["x64", "arm64"];

/** The x32 numbers of x86-64 calls. */
const otherNumbers = 0x40000000;

const [load, isEqual, isAbove, isAtLeast, answer] = [0x20, 0x15, 0x25, 0x35, 0x06];
const [numberAt, architectureAt] = [0, 4];
const [allowed, notThere] = [0x7fff0000, 0x00050000 | 38];

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** A seccomp program, in the format that bubblewrap takes. */
export function callFilter(): Buffer {
	const blocks = [...keyCalls];
	const program: Instruction[] = [[load, 0, 0, architectureAt]];
	for (const [index, [architecture, first]] of blocks.entries()) {
		const instructionsAfter = (blocks.length - index - 1) * 5;
		// after the blocks come "not there", for unknown architectures, and "allowed"
		program.push(
			[isEqual, 0, 4, architecture],
			[load, 0, 0, numberAt],
			[isAtLeast, instructionsAfter + 2, 0, otherNumbers],
			[isAtLeast, 0, instructionsAfter + 2, first],
			[isAbove, instructionsAfter + 1, instructionsAfter, first + 2],
		);
	}
	program.push([answer, 0, 0, notThere], [answer, 0, 0, allowed]);
	const bytes = Buffer.alloc(program.length * 8);
	for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
		bytes.writeUInt16LE(code, index * 8);
		bytes.writeUInt8(ifTrue, index * 8 + 2);
		bytes.writeUInt8(ifFalse, index * 8 + 3);
		bytes.writeUInt32LE(value, index * 8 + 4);
	}
	return bytes;
}

let opened: number | undefined;

/** An open, unlinked file with the filter, so that nobody can replace it. */
export function callFilterFile(): number {
	if (!architectures.includes(process.arch))
		throw new Error(`the system calls of ${process.arch} are not known, so the kernel's keyrings cannot be closed`);
	if (opened !== undefined) return opened;
	const folder = temporaryFolderNow("sandbox");
	try {
		const file = path.join(folder, "filter");
		writeFileSync(file, callFilter(), { flag: "wx", mode: 0o600 });
		opened = openSync(file, "r");
		return opened;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
