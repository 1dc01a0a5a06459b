// What an agent's processes may see and change of the file system in a project with `sandbox: on`. Never less wall than was asked
// for: where it cannot be had, no turn starts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { AgentState } from "#contract/agent.ts";
import type { ContainmentLevel } from "#contract/config.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import { contained, type Room } from "../system/walls.ts";
import { environmentFor } from "./environment.ts";

interface SandboxOptions {
	containment: ContainmentLevel;
	environment: NodeJS.ProcessEnv;
	/** the room of a workspace, null where the project wants none */
	roomOf(agent: AgentState, folder: string): Promise<Room | null | Refusal>;
	/** where the programs of agents are */
	programs: readonly string[];
}

/** Where a maker's program keeps its login, settings and sessions, below the user's home. */
const keptBy: Readonly<Record<string, readonly string[]>> = {
	claude: [".claude", ".claude.json"],
	codex: [".codex"],
	gemini: [".gemini"],
	opencode: [".config/opencode", ".local/share/opencode", ".local/state/opencode", ".cache/opencode"],
};
const keptElsewhere = /^(CLAUDE|CODEX|GEMINI|OPENCODE)_(CONFIG_DIR|HOME)$/;

/** What lets somebody in elsewhere, below the user's home. */
const secrets = [
	...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config/gcloud", ".config/gh", ".config/op", ".password-store"],
	...[".netrc", ".git-credentials", ".config/git/credentials", ".npmrc", ".pypirc", ".cargo/credentials.toml", ".vault-token"],
];

const probeMs = 10_000;

export class Sandbox {
	readonly #options: SandboxOptions;
	#tried: Promise<string | null> | undefined;

	constructor(options: SandboxOptions) {
		this.#options = options;
	}

	/** Null if it needs none; a sentence if it needs one that there is not. */
	async roomFor(agent: AgentState, folder: string): Promise<Room | null | string> {
		const room = await this.#options.roomOf(agent, folder);
		if (room === null) return null;
		if (isRefusal(room)) return `Whether it needs a sandbox cannot be told: ${room.message}`;
		const trouble = await this.#trouble();
		if (trouble !== null) return trouble;
		const { environment, programs } = this.#options;
		const home = environment["HOME"] ?? os.homedir();
		const own = keptBy[agent.type];
		const elsewhere = Object.entries(environment).flatMap(([name, value]) => (keptElsewhere.test(name) && value ? [value] : []));
		return {
			hidden: [...secrets.map((name) => path.join(home, name)), ...room.hidden],
			readable: [...programs, ...room.readable],
			writable: [...(own === undefined ? [] : [...own.map((name) => path.join(home, name)), ...elsewhere]), ...room.writable],
			fixed: room.fixed,
		};
	}

	/** Why there is no sandbox on this machine; null if there is one, which was tried out. */
	async #trouble(): Promise<string | null> {
		const { containment, environment } = this.#options;
		const asked = "Its project asks for a sandbox (sandbox: on)";
		if (containment !== "bubblewrap")
			return `${asked}, which needs bubblewrap; what keeps processes together here is ${containment}. Install bubblewrap, or say sandbox: off.`;
		this.#tried ??= tried(environment);
		const reason = await this.#tried;
		return reason === null ? null : `${asked}, and bubblewrap cannot make one here: ${reason}`;
	}
}

/** Makes a small room and looks whether it holds. */
async function tried(environment: NodeJS.ProcessEnv): Promise<string | null> {
	const place = mkdtempSync(path.join(os.tmpdir(), "brood-room-"));
	const [inside, outside, hidden] = [path.join(place, "inside"), path.join(place, "outside"), path.join(place, "hidden")];
	try {
		for (const folder of [inside, outside, hidden]) mkdirSync(folder);
		writeFileSync(path.join(hidden, "secret"), "secret");
		const room: Room = { hidden: [place], readable: [outside], writable: [inside], fixed: [] };
		const probe = `touch "$1/x" && ! touch "$2/x" 2>/dev/null && ! cat "$3/secret" 2>/dev/null && ! touch /brood-probe 2>/dev/null && echo holds`;
		const { command, args, pipes } = contained("bubblewrap", { command: "/bin/sh", args: ["-c", probe, "sh", inside, outside, hidden] }, room);
		const child = spawn(command, [...args], { env: environmentFor({}, environment), stdio: [...pipes.stdio], detached: true, timeout: probeMs });
		for (const pipe of child.stdio) pipe?.on("error", () => {});
		const heard = async (stream: unknown): Promise<string> => (stream instanceof Readable ? await text(stream) : "");
		const [said, errors] = await Promise.all([heard(child.stdio[pipes.output]), heard(child.stderr), once(child, "close")]);
		return said.trim() === "holds" ? null : errors.trim() || "what should be out of reach is not";
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	} finally {
		rmSync(place, { recursive: true, force: true });
	}
}
