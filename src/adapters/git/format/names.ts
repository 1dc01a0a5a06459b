// File names are bytes. In `adapters/git` a name is a latin1 string, one character per byte, so that names can be
// compared and used as keys. Only here do they become paths or text.
import type { FileName } from "#contract/snapshot.ts";

/** One character per byte; never shown to people. */
export type ByteName = string;

export function pathOf(folder: string, name: ByteName): Buffer {
	return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, "latin1")]);
}

/** Parses the output of git with -z. */
export function namesIn(bytes: Buffer): ByteName[] {
	const text = bytes.toString("latin1");
	return text === "" ? [] : text.replace(/\0$/, "").split("\0");
}

/** The input of git with -z. */
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

/** PATH_MAX without the terminating zero. */
const pathBytesMax = process.platform === "darwin" ? 1023 : 4095;

/** It cannot be opened by its path. */
export const isTooLong = (folder: string, name: ByteName): boolean =>
	Buffer.byteLength(folder) + 1 + name.length > pathBytesMax;

/** shown of each end of a path that is too long */
const partMax = 100;

export const brief = (text: string): string =>
	text.length <= 2 * partMax + 1 ? text : `${text.slice(0, partMax)}…${text.slice(-partMax)}`.toWellFormed();

/** A name for people; invalid bytes become replacement characters. */
export const displayName = (raw: ByteName): string => Buffer.from(raw, "latin1").toString().toWellFormed();
