// How each real agent is set up for a test: a home of its own, the fake model instead of the vendor's, and its tools'
// names.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ToolName } from "#client/tools.ts";
import type { ToolCall } from "#test/support/fake-model/answer.ts";

export interface Kit {
	type: "claude" | "codex" | "opencode" | "gemini";
	/** variables for an env file; `folder` is the agent's own home */
	variables(model: string, folder: string): Record<string, string>;
	/** what has to be in that home first */
	prepareFolder(model: string, folder: string): void;
	/** a call of its tool that writes a file */
	write(file: string, text: string): ToolCall;
	/** a call of one of our tools, under the name that the program gives it */
	tool(name: ToolName, input: ToolCall["input"]): ToolCall;
	/** whether it can copy a session, and go on with one in a new process */
	native: { fork: boolean; resume: true | "sometimes" };
	/** the model that it is told to use; null for its own */
	model: string | null;
	/** something that it lets itself be set to, and how its model notices */
	option: { name: string; value: string; noticed: RegExp };
	/** what the vendor's server says when a limit is reached */
	limit: { status: number; headers?: Record<string, string>; code?: string; message?: string };
}

export const kits: Record<Kit["type"], Kit> = {
	claude: {
		type: "claude",
		variables: (model, folder) => ({
			...{
				HOME: folder,
				CLAUDE_CONFIG_DIR: path.join(folder, "claude"),
				ANTHROPIC_BASE_URL: model,
				ANTHROPIC_API_KEY: "x",
			},
			...{
				CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
				DISABLE_AUTOUPDATER: "1",
				DISABLE_TELEMETRY: "1",
				CLAUDE_CODE_MAX_RETRIES: "0",
			},
		}),
		prepareFolder: (_, folder) => void mkdirSync(path.join(folder, "claude"), { recursive: true }),
		write: (file, content) => ({ name: "Write", input: { file_path: file, content } }),
		tool: (name, input) => ({ name: `mcp__brood__${name}`, input }),
		native: { fork: true, resume: true },
		model: "sonnet",
		option: { name: "effort", value: "high", noticed: /"effort":"high"/ },
		limit: {
			status: 429,
			headers: { "retry-after": "60" },
			code: "rate_limit_error",
			message: "You have hit the limit",
		},
	},
	codex: {
		type: "codex",
		variables: (_, folder) => ({
			HOME: folder,
			CODEX_HOME: path.join(folder, "codex"),
			NO_BROWSER: "1",
			MODEL_PROVIDER: "mock",
		}),
		prepareFolder(model, folder) {
			mkdirSync(path.join(folder, "codex"), { recursive: true });
			const provider = [
				`name = "mock"`,
				`base_url = "${model}/v1"`,
				`wire_api = "responses"`,
				"supports_websockets = false",
			];
			const retries = ["request_max_retries = 0", "stream_max_retries = 0"];
			const lines = [
				`model = "mock-model"`,
				`model_provider = "mock"`,
				`approval_policy = "on-request"`,
				`sandbox_mode = "workspace-write"`,
			];
			const text = [
				...lines,
				"[model_providers.mock]",
				...provider,
				...retries,
				"[features]",
				"plugins = false",
				"",
			].join("\n");
			writeFileSync(path.join(folder, "codex", "config.toml"), text);
		},
		write: (file, text) => ({
			name: "exec_command",
			input: {
				cmd: `printf '%s' '${text}' > '${file}'`,
				yield_time_ms: 2000,
				sandbox_permissions: "require_escalated",
				justification: "to write",
			},
		}),
		tool: (name, input) => ({ namespace: "mcp__brood", name, input }),
		native: { fork: true, resume: true },
		model: null,
		option: { name: "collaboration_mode", value: "plan", noticed: /You are in \*\*Plan Mode/ },
		limit: {
			status: 429,
			headers: { "retry-after": "60" },
			code: "rate_limit_exceeded",
			message: "Rate limit reached",
		},
	},
	opencode: {
		type: "opencode",
		variables: (model, folder) => ({
			...{ HOME: folder, XDG_DATA_HOME: path.join(folder, "data"), XDG_CONFIG_HOME: path.join(folder, "config") },
			...{ XDG_STATE_HOME: path.join(folder, "state"), XDG_CACHE_HOME: path.join(folder, "cache") },
			...{
				OPENCODE_DISABLE_MODELS_FETCH: "1",
				OPENCODE_DISABLE_AUTOUPDATE: "1",
				OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
				OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
			},
			OPENCODE_CONFIG_CONTENT: JSON.stringify({
				model: "test/m",
				provider: {
					test: {
						npm: "@ai-sdk/openai-compatible",
						options: { baseURL: `${model}/v1`, apiKey: "x" },
						models: { m: { name: "m", tool_call: true, limit: { context: 100_000, output: 10_000 } } },
					},
				},
			}),
		}),
		prepareFolder() {},
		write: (file, content) => ({ name: "write", input: { filePath: file, content } }),
		tool: (name, input) => ({ name: `brood_${name}`, input }),
		native: { fork: true, resume: true },
		model: "test/m",
		option: { name: "mode", value: "plan", noticed: /Plan mode ACTIVE/ },
		limit: {
			status: 429,
			headers: { "retry-after": "3600" },
			code: "rate_limit_exceeded",
			message: "Rate limit reached",
		},
	},
	gemini: {
		type: "gemini",
		variables: (model, folder) => ({
			HOME: folder,
			GEMINI_CLI_HOME: folder,
			GEMINI_API_KEY: "x",
			GOOGLE_GEMINI_BASE_URL: model,
		}),
		prepareFolder(_, folder) {
			mkdirSync(path.join(folder, ".gemini"), { recursive: true });
			const settings = {
				security: { auth: { selectedType: "gemini-api-key" } },
				privacy: { usageStatisticsEnabled: false },
				telemetry: { enabled: false },
			};
			writeFileSync(
				path.join(folder, ".gemini", "settings.json"),
				JSON.stringify({ ...settings, general: { disableAutoUpdate: true } }),
			);
		},
		write: (file, content) => ({ name: "write_file", input: { file_path: file, content } }),
		tool: (name, input) => ({ name: `mcp_brood_${name}`, input }),
		// it does not always find its session again; then a new one is seeded from the journal
		native: { fork: false, resume: "sometimes" },
		model: "gemini-2.5-pro",
		option: { name: "mode", value: "plan", noticed: /Active Approval Mode: Plan/ },
		limit: { status: 429, code: "RESOURCE_EXHAUSTED", message: "Quota exceeded" },
	},
};
