// A standing answer for all commands that begin with the same words, such as `npm test`. It holds only for simple
// commands: a program and its arguments. Whatever a shell would expand, join, redirect or run besides is not simple,
// and neither is anything that this file does not know.
import type { Permit, ShellCommand } from "#contract/approval.ts";

const wordsMax = 32;

/** Unquoted, any of these may mean more than a word: operators, expansions, patterns, comments, history. */
const special = /[;&|<>()$`{}*?[\]!#^\\]/;
/** The same inside of double quotes. */
const specialQuoted = /[$`\\!]/;
/** Line breaks of any kind, other control characters, and characters that change the direction of writing. */
const unseen = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** The words of a simple command, without their quotes; null for any other. */
export function simpleWords(command: string): string[] | null {
	if (unseen.test(command)) return null;
	const words: string[] = [];
	let word: string | null = null;
	let quote: "'" | '"' | null = null;
	for (const character of command) {
		if (character === quote) quote = null;
		else if (quote === "'") word = (word ?? "") + character;
		else if (quote === '"') {
			if (specialQuoted.test(character)) return null;
			word = (word ?? "") + character;
		} else if (character === "'" || character === '"') [quote, word] = [character, word ?? ""];
		else if (special.test(character)) return null;
		else if (character === " " || character === "\t") {
			if (word !== null) words.push(word);
			word = null;
		} else word = (word ?? "") + character;
	}
	if (quote !== null) return null;
	if (word !== null) words.push(word);
	// FOO=bar in front of a command sets a variable for it
	return words.length === 0 || words[0] === "" || words[0]?.includes("=") === true ? null : words;
}

/** Programs that run whatever their arguments say, and words of the shell itself. */
const runners = new Set(
	`sh bash zsh dash ksh fish csh tcsh busybox env sudo doas su xargs parallel nohup time timeout nice ionice setsid stdbuf
	watch script strace ltrace gdb ssh scp rsync eval exec source . command builtin trap alias export set declare if then else
	while until for do case function select coproc node nodejs deno bun tsx python perl ruby php lua awk gawk mawk sed find fd
	npx bunx pnpx pipx uvx uv git npm pnpm yarn cargo go docker podman kubectl gh make just rake ninja brew apt pip poetry
	conda systemd-run chroot unshare nsenter bwrap screen tmux expect`
		.trim()
		.split(/\s+/),
);

/** What a person typed as a prefix, as words; `npm test *` means the same as `npm test`. A sentence if it is none. */
export function prefixOf(typed: string): readonly string[] | string {
	const words = simpleWords(typed.trim().replace(/\s\*$/, ""));
	if (words === null || words.length > wordsMax || words[0]?.startsWith("-") === true)
		return `A prefix consists of plain words, like "npm test": ${typed}`;
	const [program = "", ...rest] = words;
	const name = (program.split("/").at(-1) ?? "").replace(/[\d.]+$/, "") || program;
	if (runners.has(name) && rest.every((word) => word === "" || word.startsWith("-")))
		return `${words.join(" ")} can run any program: add the word that says which, like "npm test".`;
	return words;
}

/** The words of a prefix that answers this question for good; a sentence if it cannot. */
export function prefixFor(
	{ id, command }: { id: number; command?: ShellCommand },
	typed: string,
): readonly string[] | string {
	if (command === undefined || simpleWords(command.line) === null)
		return `Approval ${id} is not about a simple shell command, so no prefix can be allowed.`;
	const words = prefixOf(typed);
	return typeof words === "string" || beginsWith(command, words)
		? words
		: `What approval ${id} asks for does not begin with: ${words.join(" ")}`;
}

/** Whether a command begins with exactly these words. */
export function beginsWith({ line }: ShellCommand, prefix: readonly string[]): boolean {
	const words = simpleWords(line);
	return words !== null && prefix.length > 0 && prefix.every((word, at) => words[at] === word);
}

/** In another folder the same words run other programs. */
export const coversCommand = ({ prefix, folder }: Permit, command: ShellCommand | undefined): boolean =>
	prefix !== undefined && command !== undefined && (folder ?? null) === command.folder && beginsWith(command, prefix);
