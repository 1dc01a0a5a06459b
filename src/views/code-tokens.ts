// Source code as coloured parts, good enough for any language: comments, strings, numbers and keywords. Pure; every
// surface picks its own colours. The cost is in proportion to the text.

export type TokenKind = "comment" | "string" | "number" | "keyword" | "added" | "deleted" | "plain";
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
		`None True False Self String SELECT FROM WHERE INSERT UPDATE DELETE INTO VALUES JOIN LEFT ON CREATE TABLE AND OR NOT
		NULL AS IN IS SET GROUP ORDER BY HAVING LIMIT DISTINCT INDEX PRIMARY KEY UNIQUE BEGIN COMMIT`,
	),
]);

const slashes =
	"ts tsx js jsx mjs cjs json json5 c h cc cpp hpp cs java kt go rs rust swift scala php scss proto dart zig";
const hashes = "py python rb ruby sh bash zsh fish yaml yml toml pl r make makefile dockerfile nix elixir ex";
const dashes = "sql lua hs haskell elm ada";
const lineComments: Readonly<Record<string, string>> = Object.fromEntries([
	...words(slashes).map((name) => [name, "//"]),
	...words("typescript javascript").map((name) => [name, "//"]),
	...words(hashes).map((name) => [name, "#"]),
	...words(dashes).map((name) => [name, "--"]),
]);

/** Languages that are prose or have no tokens of this kind. */
const plain = new Set(["", "text", "txt", "md", "markdown", "console", "log"]);
const diffs = new Set(["diff", "patch"]);

/** The language of a file, by its name. */
export const languageOf = (path: string): string => /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";

/** What goes on over lines until its end. */
interface Span {
	end: string;
	kind: TokenKind;
}

const spans: Readonly<Record<string, Span & { languages: ReadonlySet<string> }>> = {
	"/*": { end: "*/", kind: "comment", languages: new Set(words(`${slashes} typescript javascript css sql`)) },
	"<!--": { end: "-->", kind: "comment", languages: new Set(words("html xml svg vue svelte")) },
	"`": {
		end: "`",
		kind: "string",
		languages: new Set(words(`ts tsx js jsx mjs cjs typescript javascript go sh bash zsh rb ruby`)),
	},
	'"""': { end: '"""', kind: "string", languages: new Set(words("py python toml java kt swift scala ex elixir")) },
	"'''": { end: "'''", kind: "string", languages: new Set(words("py python toml")) },
};

/** One token list for each line. A comment or string over several lines goes on in the next. */
export function codeLines(code: string, language: string): Token[][] {
	const lines = code.split("\n");
	const name = language.toLowerCase();
	if (diffs.has(name)) return lines.map((text) => [{ kind: diffKind(text), text }]);
	if (plain.has(name)) return lines.map((text) => [{ kind: "plain", text }]);
	let open: Span | null = null;
	return lines.map((line) => {
		const done = lineTokens(line, name, open);
		open = done.open;
		return done.tokens;
	});
}

const parts = /"""|'''|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'|\b\d[\w.]*|[A-Za-z_$][\w$]*|\/\*|<!--|`|\s+|./gu;

function lineTokens(line: string, language: string, before: Span | null): { tokens: Token[]; open: Span | null } {
	const tokens: Token[] = [];
	const add = (kind: TokenKind, text: string): void => {
		const last = tokens.at(-1);
		if (last?.kind === kind) last.text += text;
		else if (text !== "") tokens.push({ kind, text });
	};
	const comment = lineComments[language] ?? null;
	let [at, open] = [0, before];
	while (at < line.length) {
		if (open !== null) {
			const end = endOf(open, line, at);
			add(open.kind, line.slice(at, end ?? line.length));
			if (end === null) break;
			[at, open] = [end, null];
			continue;
		}
		if (comment !== null && line.startsWith(comment, at)) {
			add("comment", line.slice(at));
			break;
		}
		parts.lastIndex = at;
		const text = parts.exec(line)?.[0] ?? line.slice(at);
		const span = spans[text];
		if (span?.languages.has(language) === true) {
			add(span.kind, text);
			open = span;
		} else add(kindOf(text, language), text);
		at += text.length;
	}
	return { tokens, open };
}

/** Of a line of a diff. */
function diffKind(line: string): TokenKind {
	if (/^(\+\+\+|---|@@|diff |index )/.test(line)) return "comment";
	return line.startsWith("+") ? "added" : line.startsWith("-") ? "deleted" : "plain";
}

/** Where the text after the end of a span begins; null if it does not end in this line. */
function endOf({ end, kind }: Span, line: string, from: number): number | null {
	for (let at = line.indexOf(end, from); at >= 0; at = line.indexOf(end, at + 1)) {
		let escapes = 0;
		while (kind === "string" && at - escapes > from && line[at - escapes - 1] === "\\") escapes++;
		if (escapes % 2 === 0) return at + end.length;
	}
	return null;
}

function kindOf(text: string, language: string): TokenKind {
	if (/^["'`]./.test(text)) return "string";
	if (/^\d/.test(text)) return "number";
	const word = language === "sql" ? text.toUpperCase() : text;
	return keywords.has(word) || keywords.has(text) ? "keyword" : "plain";
}
