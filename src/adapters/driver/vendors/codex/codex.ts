import path from "node:path";
import { fieldOf, nodeScript, type Vendor } from "../vendor.ts";

const homeVariable = "CODEX_HOME";

export const codex = {
	title: "Codex",
	package: "@agentclientprotocol/codex-acp",
	version: "2.6.0",
	start: (modules) => nodeScript(path.join(modules, "@agentclientprotocol/codex-acp/dist/index.js")),
	keepsInterrupted: true,
	// its default mode lets a model answer approvals for the user
	modes: { ask: "read-only", "auto-edit": "workspace-write", full: "workspace-write" },
	loginProgram: { name: "codex", install: "npm install -g @openai/codex" },
	login: {
		files: [".codex/auth.json"],
		how: "run codex login, or use a key of your shell: --env CODEX_API_KEY",
		keys: ["CODEX_API_KEY", "OPENAI_API_KEY"],
		alongside: ["OPENAI_BASE_URL"],
	},
	homeVariable,
	folders: (seen, home) => [{ location: seen[homeVariable] ?? path.join(home, ".codex"), logins: ["auth.json"] }],
	trust: { obeys: [".codex"] },
	asksForBroodTool: (request, input) =>
		fieldOf(request, "_meta", "is_mcp_tool_approval") === true &&
		(fieldOf(input, "server") ?? fieldOf(input, "serverName")) === "brood",
	limits: { textOf: textOfInternalError, endIn: endOnClock },
} satisfies Vendor;

/** The adapter reports a usage limit as an internal error, and the text in the error's data. */
function textOfInternalError(error: object): string | null {
	const text = fieldOf(error, "data", "message");
	return fieldOf(error, "message") === "Internal error" && typeof text === "string" && text !== "" ? text : null;
}

/**
 * The end of the limit as Codex prints it: the local time to the minute, with the date if it is not today. The limit
 * ends after that minute.
 */
function endOnClock(text: string, now: number): number | null {
	const named = /\bat (?:([A-Z][a-z]{2} \d{1,2})(?:st|nd|rd|th), (\d{4}) )?(\d{1,2}:\d\d [AP]M)\b/.exec(text);
	if (named === null) return null;
	const [, day, year, time] = named;
	const over = Date.parse(`${day === undefined ? new Date(now).toDateString() : `${day}, ${year}`} ${time}`) + 60_000;
	return day === undefined && over < now ? over + 86_400_000 : over;
}
