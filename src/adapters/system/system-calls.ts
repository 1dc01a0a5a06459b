// What processes in a sandbox cannot ask the kernel for. Keyrings belong to a user or a session, and no namespace parts
// them: kernel keys of the person (ssh, Kerberos, encrypted folders) would be there for every agent that runs as the
// same user. So the calls that reach them are answered as by a kernel that has none.
import { openSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolderNow } from "./temporary.ts";

/** By the kernel's name of an architecture: the first of add_key, request_key and keyctl, which follow each other. */
const keyCalls = new Map([
	[0xc000003e, 248], // x86-64
	[0x40000003, 286], // programs for i386 on it
	[0xc00000b7, 217], // arm64
	[0x40000028, 309], // programs for 32-bit arm on it
]);
const architectures: readonly string[] = ["x64", "arm64"];

/** A second set of numbers for the calls of x86-64, which hardly any kernel has. */
const otherNumbers = 0x40000000;

const [load, isEqual, isAbove, isAtLeast, answer] = [0x20, 0x15, 0x25, 0x35, 0x06];
const [numberAt, architectureAt] = [0, 4];
const [allowed, notThere] = [0x7fff0000, 0x00050000 | 38];

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** A program for the kernel (seccomp), as bubblewrap takes it. */
export function callFilter(): Buffer {
	const blocks = [...keyCalls];
	const program: Instruction[] = [[load, 0, 0, architectureAt]];
	for (const [index, [architecture, first]] of blocks.entries()) {
		const instructionsAfter = (blocks.length - index - 1) * 5;
		// behind the blocks come "not there", for architectures that are not in the list, and "allowed"
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

/** An open file with the filter that has no name, so that nobody can put another one in its place. */
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
