// The approval question of an agent's program, with everything that is known of the call. The content is never cut:
// what cannot be shown completely is not asked.
import type { RequestPermissionRequest, ToolCallContent } from "@agentclientprotocol/sdk/unstable";
import { type ApprovalQuestion, broodTool } from "#contract/approval.ts";
import type { ExistingFile } from "#contract/file-check.ts";
import { allVendors } from "../vendors/vendors.ts";
import type { ToolCall } from "./calls.ts";
import { commandIn } from "./command.ts";
import { pathsIn } from "./named.ts";

export interface Question extends Omit<ApprovalQuestion, "inside" | "digest"> {
	/** every file that it names anywhere; none if its input has an unknown field */
	paths: readonly string[];
	/** the files of which it says no old text: new ones, or Claude Code overwrites them */
	written: readonly string[];
}

type FileChange = Extract<ToolCallContent, { type: "diff" }>;

const titleLength = 10_000;

export function questionOf(
	request: RequestPermissionRequest,
	call: ToolCall | undefined,
	existing: readonly ExistingFile[] = [],
): Question {
	const { toolCall, options } = request;
	const { title, tool: kind } = call ?? { title: toolCall.title ?? "", tool: "other" };
	const { input, content, locations } = call?.asked ?? { input: toolCall.rawInput, content: [], locations: [] };
	const isBroodTool = allVendors.some(({ asksForBroodTool }) => asksForBroodTool?.(request, input) === true);
	const tool = isBroodTool ? broodTool : kind === broodTool ? "other" : kind;
	const changes = content.flatMap((part) => (part.type === "diff" ? part : []));
	const files = [...new Set([...locations, ...changes.map(({ path }) => path)])];
	// the terminal with this call's own output; its id differs from call to call
	const said = content.filter((part) => part.type !== "terminal" || part.terminalId !== toolCall.toolCallId);
	// a call with changes or another terminal does more than its command
	const command = said.every(({ type }) => type === "content") ? commandIn(tool, input) : null;
	const parts = [
		...(title.length > titleLength ? [title] : []),
		...(input === undefined || input === null ? [] : [inputText(tool, input, changes)]),
		...said.map((part) => partText(part, existing)).filter((text) => !isSaidIn(input, text)),
	];
	return {
		title: (title || toolCall.toolCallId).slice(0, titleLength).toWellFormed(),
		tool,
		call: toolCall.toolCallId.slice(0, 200),
		options: options
			.slice(0, 32)
			.map(({ optionId, name, kind }) => ({ id: optionId, name: name.slice(0, 1000), kind })),
		content: parts
			.filter((part) => part !== "")
			.join("\n")
			.toWellFormed(),
		...(command !== null && { command }),
		files,
		paths: pathsOf(tool, files, input, content),
		written: [...new Set(changes.flatMap(({ path, oldText }) => (oldText == null ? path : [])))],
	};
}

function pathsOf(
	tool: string,
	files: readonly string[],
	input: unknown,
	content: readonly ToolCallContent[],
): readonly string[] {
	const named = pathsIn(tool, input);
	// if the program names no files, there may be others than those in its input; a terminal is a command
	if (files.length === 0 || named === null || content.some(({ type }) => type === "terminal")) return [];
	const paths = [...new Set([...files, ...named])];
	// a move has a source and a destination
	return tool === "move" && paths.length < 2 ? [] : paths;
}

/** Fields with the old or the new text of a change. */
const sides: Readonly<Record<string, "oldText" | "newText">> = {
	...{ old_string: "oldText", oldString: "oldText", oldText: "oldText", old_text: "oldText", old_str: "oldText" },
	...{
		new_string: "newText",
		newString: "newText",
		newText: "newText",
		new_text: "newText",
		new_str: "newText",
		content: "newText",
	},
};

/** Each field, uncut, except the old and the new text of a change that is shown as a diff. */
function inputText(tool: string, input: unknown, changes: readonly FileChange[]): string {
	if (typeof input !== "object" || input === null || Array.isArray(input))
		return typeof input === "string" ? input : JSON.stringify(input);
	return Object.entries(input)
		.filter(([name, value]: [string, unknown]) => !(tool === "edit" && isShownBy(changes, name, value)))
		.map(([name, value]: [string, unknown]) => {
			const text = typeof value === "string" ? value : JSON.stringify(value);
			const label = /\p{Cc}/u.test(name) ? JSON.stringify(name) : name;
			return text.includes("\n") ? `${label}:\n${indentedBy("  ", text)}` : `${label}: ${text}`;
		})
		.join("\n");
}

/** A program often repeats a field of the input, such as the description of a command. */
const isSaidIn = (input: unknown, text: string): boolean =>
	typeof input === "object" && input !== null && Object.values(input).includes(text);

function isShownBy(changes: readonly FileChange[], name: string, value: unknown): boolean {
	const side = Object.hasOwn(sides, name) ? sides[name] : undefined;
	return (
		side !== undefined && typeof value === "string" && value !== "" && changes.some((change) => change[side] === value)
	);
}

function partText(part: ToolCallContent, existing: readonly ExistingFile[]): string {
	if (part.type === "diff") return diffText(part, existing);
	if (part.type === "content" && part.content.type === "text") return part.content.text;
	return JSON.stringify(part);
}

/** All lines of both sides. Equal lines too: only the program says that they are already in the file. */
function diffText({ path, oldText: told, newText }: FileChange, existing: readonly ExistingFile[]): string {
	const found = existing.find((each) => each.path === path);
	const oldText = told ?? found?.text ?? null;
	// where neither side ends with a line feed, they are parts of a file, or its end stays as it is
	const isAlike = oldText !== null && !oldText.endsWith("\n") && !newText.endsWith("\n");
	const [before, after] = [linesOf(oldText ?? "", isAlike), linesOf(newText, isAlike)];
	let start = 0;
	while (start < before.length && start < after.length && before[start] === after[start]) start++;
	let end = 0;
	while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
	return [
		`--- ${oldText === null ? withoutOldText(found) : path}`,
		`+++ ${path}`,
		...before.slice(0, start).map((line) => ` ${line}`),
		...before.slice(start, before.length - end).map((line) => `-${line}`),
		...after.slice(start, after.length - end).map((line) => `+${line}`),
		...before.slice(before.length - end).map((line) => ` ${line}`),
	].join("\n");
}

/** A program that names no old text may create the file or overwrite it. */
const withoutOldText = (found: ExistingFile | undefined): string =>
	found === undefined ? "(old text not known)" : found.exists ? "(overwrites the file)" : "(a new file)";

/** A last line without a line feed says so, as git does: with one it is another line. */
function linesOf(text: string, isAlike: boolean): string[] {
	const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
	const isEnded = isAlike || text === "" || text.endsWith("\n");
	return isEnded ? lines : lines.with(-1, `${lines.at(-1)}\n\\ No newline at end of file`);
}

const indentedBy = (prefix: string, text: string): string =>
	text
		.split("\n")
		.map((line) => prefix + line)
		.join("\n");
