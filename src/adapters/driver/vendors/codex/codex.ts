import path from "node:path";
import { fieldOf, script, type Vendor } from "../vendor.ts";

const homeVariable = "CODEX_HOME";

export const codex = {
	title: "Codex",
	package: "@agentclientprotocol/codex-acp",
	version: "2.6.0",
	start: (modules) => script(path.join(modules, "@agentclientprotocol/codex-acp/dist/index.js")),
	keepsInterrupted: true,
	// its own choice lets a model answer in the user's place
	modes: { ask: "read-only", "auto-edit": "workspace-write", full: "workspace-write" },
	program: { name: "codex", install: "npm install -g @openai/codex" },
	login: {
		files: [".codex/auth.json"],
		how: "run codex login, or use a key of your shell: --env CODEX_API_KEY",
		keys: ["CODEX_API_KEY", "OPENAI_API_KEY"],
		alongside: ["OPENAI_BASE_URL"],
	},
	homeVariable,
	folders: (seen, home) => [{ place: seen[homeVariable] ?? path.join(home, ".codex"), logins: ["auth.json"] }],
	trust: { obeys: [".codex"] },
	limits: { wordsOf: besideInternalError, endIn: onTheClock },
} satisfies Vendor;

/** Its adapter has its plan's limit as an internal error, with the words beside it. */
function besideInternalError(error: object): string | null {
	const words = fieldOf(error, "data", "message");
	return fieldOf(error, "message") === "Internal error" && typeof words === "string" && words !== "" ? words : null;
}

/**
 * It names the minute, in the zone that it shares with us, and the day if it is another one. The minute has to be over.
 */
function onTheClock(words: string, now: number): number | null {
	const named = /\bat (?:([A-Z][a-z]{2} \d{1,2})(?:st|nd|rd|th), (\d{4}) )?(\d{1,2}:\d\d [AP]M)\b/.exec(words);
	if (named === null) return null;
	const [, day, year, time] = named;
	const over = Date.parse(`${day === undefined ? new Date(now).toDateString() : `${day}, ${year}`} ${time}`) + 60_000;
	return day === undefined && over < now ? over + 86_400_000 : over;
}
