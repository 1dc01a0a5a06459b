import path from "node:path";
import { fieldOf, nodeScript, sameMode, type Vendor } from "../vendor.ts";

const homeVariable = "CLAUDE_CONFIG_DIR";

export const claude = {
	title: "Claude Code",
	package: "@agentclientprotocol/claude-agent-acp",
	version: "0.99.0",
	start: (modules) => nodeScript(path.join(modules, "@agentclientprotocol/claude-agent-acp/dist/index.js")),
	// no surface shows its suggestions for the next prompt, and each costs tokens
	environment: { CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "false" },
	keepsInterrupted: true,
	modes: sameMode("default"),
	loginProgram: { name: "claude", install: "npm install -g @anthropic-ai/claude-code" },
	login: {
		// on macOS the token is in the keychain, and only the settings tell; every start of the program creates them
		files: [
			".claude/.credentials.json",
			{ name: ".claude.json", has: /"oauthAccount"|"primaryApiKey"|"hasCompletedOnboarding":\s*true/ },
		],
		how: "run claude and use /login, or use a key of your shell: --env ANTHROPIC_API_KEY",
		keys: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
		alongside: ["ANTHROPIC_BASE_URL"],
	},
	homeVariable,
	folders: (seen, home) => {
		const location = seen[homeVariable] ?? path.join(home, ".claude");
		const from = path.join(seen[homeVariable] === undefined ? home : location, ".claude.json");
		return [{ location, logins: [".credentials.json"], adopts: { from, as: ".claude.json" }, variable: homeVariable }];
	},
	trust: { obeys: [".claude", ".mcp.json"], harmless: /^\.claude\/(plans|worktrees)\// },
	asksForBroodTool: (request) => fieldOf(request, "toolCall", "_meta", "claudeCode", "mcpServer", "name") === "brood",
	limits: { isLimit: (error) => fieldOf(error, "data", "errorKind") === "rate_limit" },
} satisfies Vendor;
