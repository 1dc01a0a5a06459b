// What an agent's program asks before it goes on: all that is known of the call, for whoever answers. Nothing of it is cut: what
// cannot be shown whole is not asked.
import type { RequestPermissionRequest, ToolCallContent } from "@agentclientprotocol/sdk/unstable";
import type { ApprovalQuestion } from "#contract/approval.ts";
import type { Call } from "./calls.ts";

export interface Question extends Omit<ApprovalQuestion, "inside" | "digest"> {
	/** every file that it names anywhere, whatever its program calls it */
	places: readonly string[];
}

export function questionOf({ toolCall, options }: RequestPermissionRequest, call: Call | undefined): Question {
	const { title, tool } = call ?? { title: toolCall.title ?? "", tool: "other" };
	const { input, content, locations } = call?.asked ?? { input: toolCall.rawInput, content: [], locations: [] };
	const diffs = content.flatMap((part) => (part.type === "diff" ? part : []));
	const files = [...new Set([...locations, ...diffs.map(({ path }) => path)])];
	return {
		title: (title || toolCall.toolCallId).slice(0, 10_000).toWellFormed(),
		tool,
		call: toolCall.toolCallId.slice(0, 200),
		options: options.slice(0, 32).map(({ optionId, name, kind }) => ({ id: optionId, name: name.slice(0, 1000), kind })),
		content: [...(input === undefined || input === null ? [] : [inputText(input, diffs)]), ...content.map(partText)]
			.filter((part) => part !== "")
			.join("\n")
			.toWellFormed(),
		files,
		// where its program names none, those in its input are no promise that there are no others
		places: files.length === 0 ? [] : [...files, ...pathsIn(input)],
	};
}

const pathKeys: readonly string[] = [
	"path",
	"file",
	"file_path",
	"filePath",
	"filename",
	"abs_path",
	"absolute_path",
	"notebook_path",
	"source",
	"destination",
];

function pathsIn(input: unknown): string[] {
	if (typeof input !== "object" || input === null) return [];
	return Object.entries(input).flatMap(([key, value]: [string, unknown]) =>
		typeof value === "string" && pathKeys.includes(key) ? [value] : key === "input" ? pathsIn(value) : [],
	);
}

/** A field each, whole; a text of several lines below its name. What the changes below show is not shown twice. */
function inputText(input: unknown, diffs: readonly { oldText?: string | null | undefined; newText: string }[]): string {
	if (typeof input !== "object" || input === null || Array.isArray(input)) return typeof input === "string" ? input : JSON.stringify(input);
	const shown = new Set(diffs.flatMap(({ oldText, newText }) => [oldText ?? "", newText]));
	return Object.entries(input)
		.filter(([, value]: [string, unknown]) => !(typeof value === "string" && value !== "" && shown.has(value)))
		.map(([name, value]: [string, unknown]) => {
			const text = typeof value === "string" ? value : JSON.stringify(value);
			return text.includes("\n") ? `${name}:\n${behind("  ", text)}` : `${name}: ${text}`;
		})
		.join("\n");
}

function partText(part: ToolCallContent): string {
	if (part.type === "diff") return diffText(part.path, part.oldText ?? null, part.newText);
	if (part.type === "content") return part.content.type === "text" ? part.content.text : `[${part.content.type}]`;
	return "";
}

const contextLines = 3;

/** The whole change. Equal lines at both ends are left out but for a few; everything between them is shown as it was and as it will be. */
export function diffText(path: string, oldText: string | null, newText: string): string {
	const [before, after] = [oldText === null ? [] : oldText.split("\n"), newText.split("\n")];
	let start = 0;
	while (start < before.length && start < after.length && before[start] === after[start]) start++;
	let end = 0;
	while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
	const above = before.slice(Math.max(0, start - contextLines), start);
	const below = end === 0 ? [] : before.slice(before.length - end).slice(0, contextLines);
	return [
		`--- ${oldText === null ? "(a new file)" : path}`,
		`+++ ${path}`,
		`@@ line ${start + 1 - above.length} @@`,
		...above.map((line) => ` ${line}`),
		...before.slice(start, before.length - end).map((line) => `-${line}`),
		...after.slice(start, after.length - end).map((line) => `+${line}`),
		...below.map((line) => ` ${line}`),
	].join("\n");
}

const behind = (mark: string, text: string): string =>
	text
		.split("\n")
		.map((line) => mark + line)
		.join("\n");
