// Looks at the files that a call names: whether the agent may change them, and what it would overwrite.
import { lstatSync } from "node:fs";
import type { CheckedFiles, ExistingFile, FileCheck } from "#contract/file-check.ts";
import { attempt } from "../system/errors.ts";
import { readRegularNow } from "../system/regular-file.ts";
import { mayChange, rootOf, within } from "./may-change.ts";

export async function checkFiles(folder: string, { paths, written, bytesMax }: FileCheck): Promise<CheckedFiles> {
	return { allowed: await mayChange(folder, paths), existing: existingFiles(folder, written, bytesMax) };
}

/** of more nothing is known */
const writtenMax = 50;

/** Only of files that are really in the folder. */
function existingFiles(folder: string, written: readonly string[], bytesMax: number): ExistingFile[] {
	const root = rootOf(folder);
	if (root === null) return [];
	let bytesLeft = bytesMax;
	return written.slice(0, writtenMax).flatMap((given): ExistingFile[] => {
		const real = within(root, given);
		if (real === null) return [];
		const about = attempt(() => lstatSync(real), null);
		if (about === null) return [{ path: given, exists: false, text: null }];
		if (!about.isFile()) return [];
		const bytes = attempt(() => readRegularNow(real, { bytesMax: bytesLeft }), null);
		const text = Buffer.isBuffer(bytes) ? textOf(bytes) : null;
		if (text !== null) bytesLeft -= about.size;
		return [{ path: given, exists: true, text }];
	});
}

/** Null for what is no text. */
function textOf(bytes: Buffer): string | null {
	const text = attempt(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), null);
	return text?.includes("\0") ? null : text;
}
