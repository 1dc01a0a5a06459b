// Source code as coloured parts, good enough for any language: comments, strings, numbers and keywords. Pure; every
// surface picks its own colours. The cost is in proportion to the text.

export type TokenKind = "comment" | "string" | "number" | "keyword" | "plain";
export interface Token {
	kind: TokenKind;
	text: string;
}

const words = (text: string): string[] => text.trim().split(/\s+/);

const keywords = new Set([
	...words(`abstract and as assert async await begin bool boolean break case catch char class const continue def default
		defer del delete do done double elif else end enum esac except export extends extern false fi final finally float fn
		for foreach from func function go goto if impl implements import in include instanceof int interface is lambda let
		local long loop match mod module mut namespace new nil none not null of or override package pass private protected
		protocol pub public raise readonly return self short signed sizeof static string struct super switch then this throw
		throws trait true try type typedef typeof undefined union unless unsigned until use using val var virtual void
		volatile when where while with yield`),
	...words(
		"None True False Self String SELECT FROM WHERE INSERT UPDATE DELETE INTO VALUES JOIN ON CREATE TABLE AND OR NOT",
	),
]);

const slashes =
	"ts tsx js jsx mjs cjs json json5 c h cc cpp hpp cs java kt go rs rust swift scala php css scss proto dart zig";
const hashes = "py python rb ruby sh bash zsh fish yaml yml toml pl r make makefile dockerfile nix elixir ex";
const dashes = "sql lua hs haskell elm ada";
const lineComments: Readonly<Record<string, string>> = Object.fromEntries([
	...words(slashes).map((name) => [name, "//"]),
	...words("typescript javascript").map((name) => [name, "//"]),
	...words(hashes).map((name) => [name, "#"]),
	...words(dashes).map((name) => [name, "--"]),
]);

/** Languages that are prose or have no tokens of this kind. */
const plain = new Set(["", "text", "txt", "md", "markdown", "diff", "patch", "console", "log"]);

/** The language of a file, by its name. */
export const languageOf = (path: string): string => /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";

/** One token list for each line. A comment over several lines goes on in the next. */
export function codeLines(code: string, language: string): Token[][] {
	const lines = code.split("\n");
	const name = language.toLowerCase();
	if (plain.has(name)) return lines.map((text) => [{ kind: "plain", text }]);
	const comment = lineComments[name] ?? null;
	let inComment = false;
	return lines.map((line) => {
		const { tokens, open } = lineTokens(line, comment, inComment);
		inComment = open;
		return tokens;
	});
}

const parts = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`?|\b\d[\w.]*|[A-Za-z_$][\w$]*|\/\*|\s+|./gu;

function lineTokens(line: string, comment: string | null, inComment: boolean): { tokens: Token[]; open: boolean } {
	const tokens: Token[] = [];
	const add = (kind: TokenKind, text: string): void => {
		const last = tokens.at(-1);
		if (last?.kind === kind) last.text += text;
		else if (text !== "") tokens.push({ kind, text });
	};
	let at = 0;
	if (inComment) {
		const end = line.indexOf("*/");
		add("comment", end < 0 ? line : line.slice(0, end + 2));
		if (end < 0) return { tokens, open: true };
		at = end + 2;
	}
	parts.lastIndex = at;
	for (let found = parts.exec(line); found !== null; found = parts.exec(line)) {
		const [text] = found;
		if (comment !== null && line.startsWith(comment, found.index) && !/^["'`]/.test(text)) {
			add("comment", line.slice(found.index));
			break;
		}
		if (text === "/*" && comment === "//") {
			const end = line.indexOf("*/", found.index + 2);
			add("comment", end < 0 ? line.slice(found.index) : line.slice(found.index, end + 2));
			if (end < 0) return { tokens, open: true };
			parts.lastIndex = end + 2;
		} else add(kindOf(text), text);
	}
	return { tokens, open: false };
}

function kindOf(text: string): TokenKind {
	if (/^["'`]./.test(text)) return "string";
	if (/^\d/.test(text)) return "number";
	return keywords.has(text) ? "keyword" : "plain";
}
