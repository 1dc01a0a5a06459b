// The import table: which folder of `src` may use which. The linter and the tidy test both read it here.
export interface Folder {
	/** what its files answer, for ARCHITECTURE.md */
	question: string;
	/** folders of `src`, or files of one */
	mayImport: readonly string[];
	/** packages and Node modules; `node:*` stands for the platform as a whole */
	mayUse: readonly string[];
}

export const folders: Record<string, Folder> = {
	contract: { question: "what can be said?", mayImport: [], mayUse: ["zod"] },
	domain: { question: "what is decided?", mayImport: ["contract"], mayUse: [] },
	views: { question: "what is seen?", mayImport: ["contract", "domain"], mayUse: ["zod"] },
	engine: { question: "how does a decision land?", mayImport: ["contract", "domain", "views"], mayUse: ["zod"] },
	"adapters/store": {
		question: "where are journal and rows kept?",
		mayImport: ["contract", "engine/ports"],
		mayUse: ["node:*", "kysely", "pg"],
	},
	"adapters/driver": {
		question: "how do agents' programs run?",
		mayImport: ["contract", "engine/ports", "adapters/system"],
		mayUse: ["node:*", "@agentclientprotocol/sdk/unstable"],
	},
	"adapters/git": {
		question: "how are trees made, changed and merged?",
		mayImport: ["contract", "engine/ports", "adapters/system"],
		mayUse: ["node:*", "zod"],
	},
	"adapters/system": {
		question: "what does the machine offer?",
		mayImport: ["contract", "engine/ports"],
		mayUse: ["node:*", "yaml"],
	},
	server: {
		question: "how is it served over HTTP?",
		mayImport: ["contract", "engine", "views"],
		mayUse: ["node:*", "zod"],
	},
	client: { question: "how is it called?", mayImport: ["contract", "views"], mayUse: ["zod"] },
	local: {
		question: "what do the daemon and the command line of one machine share?",
		mayImport: ["contract", "adapters/system/errors.ts"],
		mayUse: ["node:*"],
	},
	"surfaces/mcp": {
		question: "what do agents touch?",
		mayImport: ["contract", "views", "client", "src/version.ts"],
		mayUse: ["@modelcontextprotocol/server", "@modelcontextprotocol/server/stdio"],
	},
	"surfaces/tui": {
		question: "what is seen in a terminal?",
		mayImport: ["contract", "views", "client"],
		mayUse: ["node:*", "@earendil-works/pi-tui"],
	},
	"surfaces/web": {
		question: "what is seen in a browser?",
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
		question: "what do people type?",
		mayImport: ["surfaces/tui", "contract", "views", "client", "surfaces/mcp", "local", "src/version.ts"],
		mayUse: ["node:*", "@commander-js/extra-typings"],
	},
	agents: {
		question: "which agents are our own?",
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
		question: "what is a daemon besides its engine?",
		mayImport: ["contract", "views", "engine", "adapters", "server", "surfaces/mcp", "local", "src/version.ts"],
		mayUse: ["node:*"],
	},
	programs: {
		question: "which processes and threads of ours are started besides agents and commands?",
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

/** Roots: they may import everything. */
export const roots = ["main.ts", "version.ts"];

/** Programs that run as processes or threads of their own, and what the compiler calls for the dashboard's elements. */
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
