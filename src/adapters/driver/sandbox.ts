// What an agent's processes may see and change of the file system in a project with `sandbox: on`. Never less wall than was asked
// for: where it cannot be had, no turn starts.
import { mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { AgentState } from "#contract/agent.ts";
import type { ContainmentLevel } from "#contract/config.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { Room } from "../system/mounts.ts";
import { privatePlaces } from "../system/private-places.ts";
import { removeFolder } from "../system/remove.ts";
import { temporaryFolderNow } from "../system/temporary.ts";
import { probe } from "./containment.ts";
import { vendorHomes, vendorPart } from "./vendor-rooms.ts";

interface SandboxOptions {
	containment: ContainmentLevel;
	environment: NodeJS.ProcessEnv;
	/** the room of a workspace, null where the project wants none */
	roomOf(agent: AgentState, folder: string): Promise<Room | null | Refusal>;
	/** where the programs of agents are */
	programs: readonly string[];
	/** where agents keep what their vendors' programs write, each in a folder of its own */
	vendors: string;
	/** what lets subscriptions in: files and folders that no agent sees, but for its own vendor's part of them */
	logins(): Promise<readonly string[]>;
}

type Variables = Readonly<Record<string, string | undefined>>;

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
		const { environment, programs, vendors } = this.#options;
		try {
			const seen = { ...environment, HOME: environment["HOME"] ?? os.homedir(), ...paid() };
			const vendor = vendorPart({ type: agent.type, own: path.join(vendors, agent.id), seen, home: seen.HOME });
			// a program that an agent names itself may be any vendor's: it can read their homes, and write none
			const free = agent.type === "acp" ? vendorHomes(seen) : [];
			const hidden = [...room.hidden, ...privatePlaces(seen), ...vendorHomes(seen)].filter((place) => !free.includes(place));
			return {
				...room,
				hidden: [...new Set([...hidden, ...(await this.#options.logins())])],
				readable: [...programs, ...room.readable],
				bound: [...(vendor.bound ?? []), ...(room.bound ?? [])],
				environment: vendor.environment ?? {},
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

/** Makes a small room and looks whether it holds. */
async function tried(environment: NodeJS.ProcessEnv): Promise<string | null> {
	const place = temporaryFolderNow("room");
	const [inside, outside, hidden] = [path.join(place, "inside"), path.join(place, "outside"), path.join(place, "hidden")];
	try {
		for (const folder of [inside, outside, hidden]) mkdirSync(folder);
		writeFileSync(path.join(hidden, "secret"), "secret");
		const room: Room = { hidden: [place], readable: [outside], writable: [inside], fixed: [] };
		const script = `touch "$1/x" && ! touch "$2/x" 2>/dev/null && ! cat "$3/secret" 2>/dev/null && ! touch /brood-probe 2>/dev/null && echo holds`;
		const { said, errors } = await probe({ level: "bubblewrap", script, args: [inside, outside, hidden], room }, environment);
		return said === "holds" ? null : errors || "what should be out of reach is not";
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	} finally {
		await removeFolder(place);
	}
}
