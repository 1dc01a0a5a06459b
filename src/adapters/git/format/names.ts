// File names are bytes. Inside this folder a name is a string in which each character stands for one byte (latin1), so
// that names can be compared and looked up; only here do they become paths or text.
import type { FileName } from "#contract/snapshot.ts";

/** One byte per character; never shown to anybody. */
export type ByteName = string;

export function pathOf(folder: string, name: ByteName): Buffer {
	return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, "latin1")]);
}

/** What git prints with -z. */
export function namesIn(bytes: Buffer): ByteName[] {
	const text = bytes.toString("latin1");
	return text === "" ? [] : text.replace(/\0$/, "").split("\0");
}

/** What git reads with -z. */
export function listOf(names: Iterable<ByteName>): Buffer {
	return Buffer.from([...names].map((name) => `${name}\0`).join(""), "latin1");
}

export function toFileName(name: ByteName): FileName {
	const bytes = Buffer.from(name, "latin1");
	const text = bytes.toString();
	return Buffer.from(text).equals(bytes) ? text : { base64: bytes.toString("base64") };
}

export function fromFileName(name: FileName): ByteName {
	return (typeof name === "string" ? Buffer.from(name) : Buffer.from(name.base64, "base64")).toString("latin1");
}

/** Every folder above a name, the outermost first. */
export function parentFolders(name: ByteName): ByteName[] {
	const parts = name.split("/").slice(0, -1);
	return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** What the system takes, without the zero at the end. */
const pathBytesMax = process.platform === "darwin" ? 1023 : 4095;

/** Nobody can open it by its path, whoever made it. */
export const isTooLong = (folder: string, name: ByteName): boolean =>
	Buffer.byteLength(folder) + 1 + name.length > pathBytesMax;

/** of a path that is too long, at its beginning and at its end */
const partMax = 100;

/** A path of thousands of characters says no more than its two ends. */
export const brief = (text: string): string =>
	text.length <= 2 * partMax + 1 ? text : `${text.slice(0, partMax)}…${text.slice(-partMax)}`.toWellFormed();

/** A name for people; what is not text becomes question marks. */
export const displayName = (raw: ByteName): string => Buffer.from(raw, "latin1").toString().toWellFormed();
