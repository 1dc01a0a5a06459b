// What a tool call changes in a file, from the arguments that agents give to their edit tools, or from the changes that
// its result reports. Pure.
import { type FileEdit, fileEdit } from "#contract/file-edit.ts";

const before = ["old_string", "oldString", "oldText", "old_text", "old_str"];
const after = ["new_string", "newString", "newText", "new_text", "new_str", "content", "file_text"];

/** Null if the arguments are not those of an edit, or the new text is still missing. */
export function changeOf(tool: string, input: unknown): FileEdit | null {
	if (tool !== "edit") return null;
	const [old, fresh] = [textOf(input, before), textOf(input, after)];
	return fresh === null ? null : fileEdit(old ?? "", fresh);
}

/** All files together; null if nothing was reported. */
export function reportedChange(changes: unknown): FileEdit | null {
	const files = Array.isArray(changes) ? changes.flatMap(reported) : [];
	if (files.length === 0) return null;
	const sum = (side: "added" | "deleted"): number => files.reduce((count, file) => count + file[side], 0);
	const lines = files.flatMap((file) => (files.length === 1 ? file.lines : [file.path, ...file.lines]));
	return { added: sum("added"), deleted: sum("deleted"), lines };
}

function reported(change: unknown): (FileEdit & { path: string })[] {
	const { path, added, deleted, lines } = Object(change);
	return Array.isArray(lines)
		? [{ path: String(path), added: Number(added), deleted: Number(deleted), lines: lines.map(String) }]
		: [];
}

function textOf(input: unknown, names: readonly string[]): string | null {
	const found: unknown = names.map((name) => Reflect.get(Object(input), name)).find((each) => typeof each === "string");
	return typeof found === "string" ? found : null;
}
