// The import table: which folder of `src` may use which. The linter and the tidy test both read it here.
export interface Folder {
	/** folders of `src`, or files of one */
	mayImport: readonly string[];
	/** packages and Node modules; `node:*` stands for the platform as a whole */
	mayUse: readonly string[];
}

export const folders: Record<string, Folder> = {
	contract: { mayImport: [], mayUse: ["zod"] },
	domain: { mayImport: ["contract"], mayUse: [] },
	views: { mayImport: ["contract", "domain"], mayUse: ["zod"] },
	engine: { mayImport: ["contract", "domain", "views"], mayUse: ["zod"] },
	"adapters/store": { mayImport: ["contract", "engine/ports"], mayUse: ["node:*", "kysely", "pg"] },
	"adapters/driver": {
		mayImport: ["contract", "engine/ports", "adapters/system"],
		mayUse: ["node:*", "@agentclientprotocol/sdk/unstable"],
	},
	"adapters/git": { mayImport: ["contract", "engine/ports", "adapters/system"], mayUse: ["node:*", "zod"] },
	"adapters/system": { mayImport: ["contract", "engine/ports"], mayUse: ["node:*", "yaml"] },
	server: {
		mayImport: ["contract", "engine", "views"],
		mayUse: ["node:*", "zod"],
	},
	client: { mayImport: ["contract", "views"], mayUse: ["zod"] },
	local: { mayImport: ["contract", "adapters/system/errors.ts"], mayUse: ["node:*"] },
	"surfaces/mcp": {
		mayImport: ["contract", "views", "client", "src/version.ts"],
		mayUse: ["@modelcontextprotocol/server", "@modelcontextprotocol/server/stdio"],
	},
	"surfaces/tui": { mayImport: ["contract", "views", "client"], mayUse: ["node:*", "@earendil-works/pi-tui"] },
	"surfaces/web": {
		mayImport: ["contract", "views", "client"],
		mayUse: [
			...[
				"react",
				"react/jsx-runtime",
				"react/jsx-dev-runtime",
				"react-dom/client",
				"wouter",
				"virtua",
				"marked",
				"@dnd-kit/core",
				"@dnd-kit/sortable",
			],
			...["@lezer/common", "@lezer/highlight", "@lezer/javascript", "@lezer/python", "@lezer/json", "@lezer/css"],
			...["@lezer/html", "@lezer/rust", "@lezer/go", "@lezer/cpp", "@lezer/java", "@lezer/yaml"],
		],
	},
	"surfaces/cli": {
		mayImport: ["surfaces/tui", "contract", "views", "client", "surfaces/mcp", "local", "src/version.ts"],
		mayUse: ["node:*", "@commander-js/extra-typings"],
	},
	agents: {
		mayImport: ["contract", "views", "client", "adapters/system/process-group.ts"],
		mayUse: [
			"node:*",
			"@agentclientprotocol/sdk",
			"ai",
			"@ai-sdk/anthropic",
			"@ai-sdk/google",
			"@ai-sdk/openai",
			"@ai-sdk/openai-compatible",
			"zod",
		],
	},
	daemon: {
		mayImport: ["contract", "views", "engine", "adapters", "server", "surfaces/mcp", "local", "src/version.ts"],
		mayUse: ["node:*"],
	},
	programs: {
		mayImport: ["contract", "engine", "adapters", "local", "daemon", "src/main.ts", "src/version.ts"],
		mayUse: ["node:*"],
	},
};

/** Folders inside a folder: each may import those named before it, and files beside them may import all. */
export const layers: Record<string, readonly string[]> = {
	engine: ["ports", "commands", "nodes", "loop", "workspaces", "turns", "reactors"],
	"adapters/driver": ["vendors", "acp"],
	"adapters/git": [
		"format",
		"layout",
		"run",
		"tree",
		"snapshot",
		"copy",
		"worker",
		"workspace",
		"verbs",
		"sandbox",
		"project",
		"upkeep",
	],
};

/** The composition root may use everything; everything may use the version. */
export const roots = ["main.ts", "version.ts"];

/** Programs that run as processes of their own, and what the compiler calls for the dashboard's elements. */
export const programs = [
	"programs/daemon.ts",
	"programs/store-thread.ts",
	"programs/sandbox-worker.ts",
	"programs/uninstall.ts",
	"surfaces/cli/bin.ts",
	"surfaces/web/main.tsx",
	"surfaces/web/visible/jsx-runtime.ts",
	"surfaces/web/visible/jsx-dev-runtime.ts",
	"agents/scripted.ts",
	"agents/shell.ts",
	"agents/llm.ts",
];
