import path from "node:path";
import { fieldOf, nodeScript, sameMode, type Vendor } from "../vendor.ts";

const homeVariable = "GEMINI_CLI_HOME";

export const gemini = {
	title: "Gemini CLI",
	package: "@google/gemini-cli",
	version: "0.61.0",
	start: (modules) => nodeScript(path.join(modules, "@google/gemini-cli/bundle/gemini.js"), ["--acp"]),
	// it starts no tool servers in an untrusted folder; Brood has already asked about the repository's files
	// (`trust.ts`)
	environment: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
	keepsInterrupted: false,
	modes: sameMode("default"),
	loginProgram: { name: "gemini", install: "npm install -g @google/gemini-cli" },
	login: {
		files: [".gemini/oauth_creds.json"],
		how: "run gemini and log in, or use a key of your shell: --env GEMINI_API_KEY",
		keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
		alongside: ["GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"],
	},
	homeVariable,
	folders: (seen, home) => [
		{ location: path.join(seen[homeVariable] ?? home, ".gemini"), logins: ["oauth_creds.json"] },
	],
	// its `.env` sets variables of Gemini and of every program that it starts
	trust: { obeys: [".gemini"], obeysAlone: [".env"] },
	// the id of a call begins with the name of its tool
	asksForBroodTool: (request) => /^mcp_brood_[a-z_]+?__/.test(String(fieldOf(request, "toolCall", "toolCallId"))),
	// its error codes are the HTTP statuses of the provider
	limits: { isLimit: (error) => fieldOf(error, "code") === 429 },
} satisfies Vendor;
