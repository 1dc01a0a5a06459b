import path from "node:path";
import { always, fieldOf, script, type Vendor } from "../vendor.ts";

const homeVariable = "GEMINI_CLI_HOME";

export const gemini = {
	title: "Gemini CLI",
	package: "@google/gemini-cli",
	version: "0.61.0",
	start: (modules) => script(path.join(modules, "@google/gemini-cli/bundle/gemini.js"), ["--acp"]),
	// it starts no tools in a folder that nobody told it to trust; what a repository brings, we asked about before
	environment: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
	keepsInterrupted: false,
	modes: always("default"),
	program: { name: "gemini", install: "npm install -g @google/gemini-cli" },
	login: {
		files: [".gemini/oauth_creds.json"],
		how: "run gemini and log in, or use a key of your shell: --env GEMINI_API_KEY",
		keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
		alongside: ["GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"],
	},
	homeVariable,
	folders: (seen, home) => [{ place: path.join(seen[homeVariable] ?? home, ".gemini"), logins: ["oauth_creds.json"] }],
	// it lets the repository set any variable, those of the programs too that it starts
	trust: { obeys: [".gemini"], obeysAlone: [".env"] },
	// the status of the provider's answer is its code
	limits: { isLimit: (error) => fieldOf(error, "code") === 429 },
} satisfies Vendor;
