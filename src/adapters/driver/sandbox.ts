// What an agent's processes may see and change of the file system in a project with `sandbox: on`. Never less wall than was asked
// for: where it cannot be had, no turn starts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { AgentState } from "#contract/agent.ts";
import type { ContainmentLevel } from "#contract/config.ts";
import { expected } from "#contract/log.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import { privatePlaces } from "../system/private-places.ts";
import { temporaryFolderNow } from "../system/temporary.ts";
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

type Variables = Readonly<Record<string, string | undefined>>;

/** Where a maker's program keeps its login, settings and sessions, by its variables and below its home. */
const keptBy: Readonly<Record<string, (seen: Variables, home: string) => readonly string[]>> = {
	claude: (seen, home) => [seen["CLAUDE_CONFIG_DIR"] ?? path.join(home, ".claude"), path.join(home, ".claude.json")],
	codex: (seen, home) => [seen["CODEX_HOME"] ?? path.join(home, ".codex")],
	gemini: (seen, home) => [path.join(seen["GEMINI_CLI_HOME"] ?? home, ".gemini")],
	opencode: (seen, home) => [
		...(seen["OPENCODE_CONFIG_DIR"] === undefined ? [] : [seen["OPENCODE_CONFIG_DIR"]]),
		path.join(seen["XDG_CONFIG_HOME"] ?? path.join(home, ".config"), "opencode"),
		path.join(seen["XDG_DATA_HOME"] ?? path.join(home, ".local/share"), "opencode"),
		path.join(seen["XDG_STATE_HOME"] ?? path.join(home, ".local/state"), "opencode"),
	],
};

const probeMs = 10_000;

export class Sandbox {
	readonly #options: SandboxOptions;
	#tried: Promise<string | null> | undefined;

	constructor(options: SandboxOptions) {
		this.#options = options;
	}

	/** Null if it needs none; a sentence if it needs one that there is not. */
	async roomFor(agent: AgentState, folder: string, paid: () => Variables): Promise<Room | null | string> {
		const room = await this.#options.roomOf(agent, folder);
		if (room === null) return null;
		const trouble = await this.#trouble(isRefusal(room) || room.open !== true);
		if (trouble !== null) return trouble;
		if (isRefusal(room)) return room.message;
		if (room.open === true) return room;
		const { environment, programs } = this.#options;
		const home = environment["HOME"] ?? os.homedir();
		try {
			const seen = { ...environment, ...paid() };
			return {
				...room,
				hidden: [...privatePlaces([home, seen["HOME"] ?? home]), ...room.hidden],
				readable: [...programs, ...room.readable],
				writable: [...ownPlaces(agent.type, seen, seen["HOME"] ?? home), ...room.writable],
				fixed: room.fixed,
			};
		} catch (error) {
			return error instanceof Error ? error.message : String(error);
		}
	}

	/** Why there is no sandbox on this machine; null if there is one, which was tried out. */
	async #trouble(wanted: boolean): Promise<string | null> {
		const { containment, environment } = this.#options;
		const asked = wanted ? "Its project asks for a sandbox (sandbox: on)" : "Its workspace was made for a sandbox";
		if (containment !== "bubblewrap")
			return `${asked}, which needs bubblewrap; what keeps processes together here is ${containment}. Install bubblewrap, or say sandbox: off.`;
		this.#tried ??= tried(environment);
		const reason = await this.#tried;
		return reason === null ? null : `${asked}, and bubblewrap cannot make one here: ${reason}`;
	}
}

/** What is not there cannot be made inside: its folders are made here, as its program would make them. */
function ownPlaces(type: string, seen: Variables, home: string): readonly string[] {
	const places = keptBy[type]?.(seen, home) ?? [];
	for (const place of places) if (path.extname(place) === "") mkdirSync(place, { recursive: true, mode: 0o700 });
	return places;
}

/** Makes a small room and looks whether it holds. */
async function tried(environment: NodeJS.ProcessEnv): Promise<string | null> {
	const place = temporaryFolderNow("room");
	const [inside, outside, hidden] = [path.join(place, "inside"), path.join(place, "outside"), path.join(place, "hidden")];
	try {
		for (const folder of [inside, outside, hidden]) mkdirSync(folder);
		writeFileSync(path.join(hidden, "secret"), "secret");
		const room: Room = { hidden: [place], readable: [outside], writable: [inside], fixed: [] };
		const probe = `touch "$1/x" && ! touch "$2/x" 2>/dev/null && ! cat "$3/secret" 2>/dev/null && ! touch /brood-probe 2>/dev/null && echo holds`;
		const { command, args, pipes } = contained("bubblewrap", { command: "/bin/sh", args: ["-c", probe, "sh", inside, outside, hidden] }, room);
		const child = spawn(command, [...args], { env: environmentFor({}, environment), stdio: [...pipes.stdio], detached: true, timeout: probeMs });
		for (const pipe of child.stdio) pipe?.on("error", expected("its exit says whether it worked"));
		const heard = async (stream: unknown): Promise<string> => (stream instanceof Readable ? await text(stream) : "");
		const [said, errors] = await Promise.all([heard(child.stdio[pipes.output]), heard(child.stderr), once(child, "close")]);
		return said.trim() === "holds" ? null : errors.trim() || "what should be out of reach is not";
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	} finally {
		rmSync(place, { recursive: true, force: true });
	}
}
