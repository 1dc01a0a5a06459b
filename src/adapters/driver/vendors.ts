// The agents of other makers: which package of which version is driven, how it is started, and where its login is kept.
// One table, so that a new version is one line, and the tests against the real programs say whether it differs.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Policy } from "#contract/approval.ts";
import type { Command } from "../system/walls.ts";

export interface Vendor {
	/** what people call it */
	title: string;
	package: string;
	version: string;
	/** the program inside of the folder that npm installed it into */
	start(modules: string): Command;
	/** whether its session has what a turn said that was interrupted or failed; seen by the tests of the real program */
	keepsInterrupted: boolean;
	/** the mode in which it asks us, and lets nobody else answer, for each of our policies */
	modes?: Readonly<Record<Policy, string>>;
	/** how it logs that the model's provider refused a request, with the provider's words as the first group */
	complains?: RegExp;
	/** variables that it is given, unless a subscription has others */
	environment?: Readonly<Record<string, string>>;
	/** files of the user's home that a login leaves behind; no agent sees a key that is in the daemon's environment */
	login: { files: readonly string[]; how: string };
}

/** With our own Node: the machine's may be too old for it, or not there. */
const script = (file: string, args: readonly string[] = []): Command => ({ command: process.execPath, args: [file, ...args] });

const always = (mode: string): Record<Policy, string> => ({ ask: mode, "auto-edit": mode, full: mode });

export const vendors: Readonly<Record<string, Vendor>> = {
	claude: {
		title: "Claude Code",
		package: "@agentclientprotocol/claude-agent-acp",
		version: "0.99.0",
		start: (modules) => script(path.join(modules, "@agentclientprotocol/claude-agent-acp/dist/index.js")),
		modes: always("default"),
		keepsInterrupted: true,
		// nobody sees what it would guess the user types next, and each guess is paid for
		environment: { CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "false" },
		login: {
			files: [".claude/.credentials.json", ".claude.json"],
			how: "run claude and use /login, or give a subscription an env file with ANTHROPIC_API_KEY",
		},
	},
	codex: {
		title: "Codex",
		package: "@agentclientprotocol/codex-acp",
		version: "2.6.0",
		start: (modules) => script(path.join(modules, "@agentclientprotocol/codex-acp/dist/index.js")),
		// its own choice lets a model answer in the user's place
		modes: { ask: "read-only", "auto-edit": "workspace-write", full: "workspace-write" },
		keepsInterrupted: true,
		login: {
			files: [".codex/auth.json"],
			how: "run codex login, or give a subscription an env file with CODEX_API_KEY",
		},
	},
	gemini: {
		title: "Gemini CLI",
		package: "@google/gemini-cli",
		version: "0.61.0",
		start: (modules) => script(path.join(modules, "@google/gemini-cli/bundle/gemini.js"), ["--acp"]),
		modes: always("default"),
		keepsInterrupted: false,
		// it starts no tools in a folder that nobody told it to trust; what a repository brings, we asked about before
		environment: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
		login: {
			files: [".gemini/oauth_creds.json"],
			how: "run gemini and log in, or give a subscription an env file with GEMINI_API_KEY",
		},
	},
	opencode: {
		title: "OpenCode",
		package: "opencode-ai",
		version: "1.18.33",
		// the package's own launcher is made by an install script, which nobody has to run
		start: (modules) => ({
			command: path.join(modules, `opencode-${process.platform}-${process.arch}`, "bin/opencode"),
			args: ["acp", "--print-logs", "--log-level", "ERROR"],
		}),
		keepsInterrupted: true,
		// left alone it asks for nothing; what it asks, the agent's policy answers
		environment: { OPENCODE_PERMISSION: JSON.stringify({ edit: "ask", bash: "ask", webfetch: "ask" }) },
		// it waits as long as a provider asks for, be it hours, and says so nowhere but in its log; small calls are for titles
		complains: /message="stream error".* small=false .*error\.error="((?:[^"\\]|\\.)*)"/,
		login: { files: [".local/share/opencode/auth.json"], how: "run opencode auth login" },
	},
};

/** Where the programs of one type are, below a folder for all of them. */
export const installedIn = (adapters: string, type: string): string => path.join(adapters, type);

/** How to start it, or null if it is not there. */
export function vendorProgram(adapters: string, type: string): Command | null {
	const vendor = vendors[type];
	if (vendor === undefined || installedVersion(adapters, type) === null) return null;
	return vendor.start(path.join(installedIn(adapters, type), "node_modules"));
}

export function installedVersion(adapters: string, type: string): string | null {
	const vendor = vendors[type];
	if (vendor === undefined) return null;
	const file = path.join(installedIn(adapters, type), "node_modules", vendor.package, "package.json");
	if (!existsSync(file)) return null;
	const { version }: { version?: unknown } = JSON.parse(readFileSync(file, "utf8"));
	return typeof version === "string" ? version : null;
}

/** A sign of a login; that it is still good only a turn can tell. */
export function looksLoggedIn({ login }: Vendor, home: string): boolean {
	return login.files.some((file) => existsSync(path.join(home, file)));
}

/** A program and its arguments from one line: words, with quotes and backslashes, and nothing else that a shell knows. */
export function wordsOf(line: string): string[] | null {
	const words: string[] = [];
	let word: string | null = null;
	let quote: string | null = null;
	for (let at = 0; at < line.length; at++) {
		const character = line.charAt(at);
		if (quote !== null && character === quote) quote = null;
		else if (quote === null && (character === "'" || character === '"')) [quote, word] = [character, word ?? ""];
		else if (character === "\\" && quote !== "'") word = (word ?? "") + line.charAt(++at);
		else if (quote === null && /\s/.test(character)) {
			if (word !== null) words.push(word);
			word = null;
		} else word = (word ?? "") + character;
	}
	if (quote !== null) return null;
	return word === null ? words : [...words, word];
}
