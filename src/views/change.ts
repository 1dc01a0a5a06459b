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
	const isOne = files.every(({ path }) => path === files[0]?.path);
	const lines = files.flatMap((file, at) => {
		const isFirst = file.path !== files[at - 1]?.path;
		const head = file.line === null ? (isFirst ? [] : [" ⋯"]) : [`@@ -${file.line.old} +${file.line.new} @@`];
		return [...(isFirst && !isOne ? [file.path] : []), ...(files.length === 1 ? [] : head), ...file.lines];
	});
	return { added: sum("added"), deleted: sum("deleted"), lines };
}

type ReportedPart = FileEdit & { path: string; line: { old: number; new: number } | null };

function reported(change: unknown): ReportedPart[] {
	const { path, added, deleted, lines, line } = Object(change);
	if (!Array.isArray(lines)) return [];
	const at = Number.isInteger(line?.old) && Number.isInteger(line?.new) ? { old: line.old, new: line.new } : null;
	return [{ path: String(path), added: Number(added), deleted: Number(deleted), lines: lines.map(String), line: at }];
}

function textOf(input: unknown, names: readonly string[]): string | null {
	const found: unknown = names.map((name) => Reflect.get(Object(input), name)).find((each) => typeof each === "string");
	return typeof found === "string" ? found : null;
}
