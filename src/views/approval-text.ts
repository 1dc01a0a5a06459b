// Words about an approval that the terminal, the command line and the dashboard share.
import { inline } from "#contract/visible.ts";
import type { Approval } from "#contract/wire.ts";
import { prefixFor, simpleWords } from "#domain/command-prefix.ts";

/** Follows "files": where those are that the question names. */
export function filesText({ inside, command }: Pick<Approval, "inside" | "command">): string {
	if (command !== undefined) return "that it names (a command can change others)";
	return inside ? "(all in its workspace)" : "(not all in its workspace)";
}

/** Follows "allows always": what "always" covers, which is what Brood remembers and what the program does by itself. */
export function alwaysText({ tool, files, options }: Pick<Approval, "tool" | "files" | "options">): string {
	const ours = tool === "edit" && files.length > 0 ? "edits of the same files, whatever they write" : "exactly this";
	const own = options.find(({ kind }) => kind === "allow_always");
	if (own === undefined) return ours;
	const name = own.name.length > nameLengthMax ? `${own.name.slice(0, nameLengthMax)}…` : own.name;
	return `${ours}, and all that its program means by “${inline(name.toWellFormed())}”`;
}

const nameLengthMax = 200;

/** what a row of a list shows whole, wrapped where need be */
const lineLengthMax = 240;

/** Whether the title alone is the whole question, and short: no content, files or other command beside it. */
export const isOneLine = (approval: Pick<Approval, "title" | "content" | "command" | "files">): boolean =>
	approval.title.length <= lineLengthMax &&
	!approval.title.includes("\n") &&
	approval.files.length === 0 &&
	(approval.command === undefined || approval.command.line === approval.title) &&
	["", approval.title].includes(contentBesideCommand(approval).trim());

/** The content without the command, for a place that shows that already. */
export function contentBesideCommand({ content, command }: Pick<Approval, "content" | "command">): string {
	if (command === undefined) return content;
	const { line } = command;
	if (content === line) return "";
	const field = line.includes("\n") ? `command:\n  ${line.replaceAll("\n", "\n  ")}` : `command: ${line}`;
	return `\n${content}\n`.replace(`\n${field}\n`, () => "\n").slice(1, -1);
}

/** Whether a prefix can be allowed at all: only for a simple command. */
export const takesPrefix = ({ command }: Pick<Approval, "command">): boolean =>
	command !== undefined && simpleWords(command.line) !== null;

/** Why these words cannot be allowed as a prefix; null if they can. */
export function prefixProblem(approval: Pick<Approval, "id" | "command">, typed: string): string | null {
	const words = prefixFor(approval, typed);
	return typeof words === "string" ? words : null;
}
