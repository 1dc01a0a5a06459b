import path from "node:path";
import type { Vendor } from "../vendor.ts";

const homeVariable = "OPENCODE_CONFIG_DIR";

export const opencode = {
	title: "OpenCode",
	package: "opencode-ai",
	version: "1.18.33",
	// the package's launcher is created by an install script, and we run none
	start: (modules) => ({
		command: path.join(modules, `opencode-${process.platform}-${process.arch}`, "bin/opencode"),
		args: ["acp", "--print-logs", "--log-level", "ERROR"],
	}),
	// by default it asks for no approvals; this makes it ask, and the agent's policy answers
	environment: { OPENCODE_PERMISSION: JSON.stringify({ edit: "ask", bash: "ask", webfetch: "ask" }) },
	keepsInterrupted: true,
	loginProgram: { name: "opencode", install: "npm install -g opencode-ai" },
	login: {
		files: [".local/share/opencode/auth.json"],
		how: "run opencode auth login, or use a key of your shell: --env ANTHROPIC_API_KEY",
		keys: [
			...["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
			...[
				"OPENROUTER_API_KEY",
				"GROQ_API_KEY",
				"MISTRAL_API_KEY",
				"DEEPSEEK_API_KEY",
				"XAI_API_KEY",
				"OPENCODE_API_KEY",
			],
		],
		alongside: [],
	},
	homeVariable,
	folders: (seen, home) => {
		const below = (variable: string, usual: string): string =>
			path.join(seen[variable] ?? path.join(home, usual), "opencode");
		return [
			...(seen[homeVariable] === undefined ? [] : [{ location: seen[homeVariable], logins: [] }]),
			{ location: below("XDG_CONFIG_HOME", ".config"), logins: [] },
			{ location: below("XDG_DATA_HOME", ".local/share"), logins: ["auth.json"] },
			{ location: below("XDG_STATE_HOME", ".local/state"), logins: [] },
		];
	},
	trust: { obeys: [".opencode", "opencode.json", "opencode.jsonc"], harmless: /^\.opencode\/(plans|worktrees)\// },
	// it waits for as long as the provider asks, which can be hours, and reports that only in its log; `small`
	// requests are for titles
	limits: { limitLogPattern: /message="stream error".* small=false .*error\.error="((?:[^"\\]|\\.)*)"/ },
} satisfies Vendor;
