// What an agent's processes may see and change of the file system in a project with `sandbox: on`. Never less than was
// asked for: where there is no sandbox, no turn starts.
import { mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { AgentState } from "#contract/agent.ts";
import type { ContainmentLevel } from "#contract/config.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { SandboxMounts } from "../system/mounts.ts";
import { privatePaths } from "../system/private-paths.ts";
import { removeFolder } from "../system/remove.ts";
import { temporaryFolderNow } from "../system/temporary.ts";
import { probe } from "./detect-containment.ts";
import { vendorHomes, vendorMounts } from "./vendor-mounts.ts";

interface SandboxOptions {
	containment: ContainmentLevel;
	environment: NodeJS.ProcessEnv;
	/** the mounts of a workspace, null where the project wants no sandbox */
	mountsFor(agent: AgentState, folder: string): Promise<SandboxMounts | null | Refusal>;
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
	async mountsFor(
		agent: AgentState,
		folder: string,
		credentials: () => Variables,
	): Promise<SandboxMounts | null | string> {
		const mounts = await this.#options.mountsFor(agent, folder);
		if (mounts === null) return null;
		const problem = await this.#problem(isRefusal(mounts) || mounts.open !== true);
		if (problem !== null) return problem;
		if (isRefusal(mounts)) return mounts.message;
		if (mounts.open === true) return mounts;
		const { environment, programs, vendors } = this.#options;
		try {
			const seen = { ...environment, HOME: environment["HOME"] ?? os.homedir(), ...credentials() };
			const vendor = vendorMounts({ type: agent.type, own: path.join(vendors, agent.id), seen, home: seen.HOME });
			// a program that an agent names itself may be any vendor's: it can read their homes, and write none
			const free = agent.type === "acp" ? vendorHomes(seen) : [];
			const hidden = [...mounts.hidden, ...privatePaths(seen), ...vendorHomes(seen)].filter(
				(place) => !free.includes(place),
			);
			return {
				...mounts,
				hidden: [...new Set([...hidden, ...(await this.#options.logins())])],
				readable: [...programs, ...mounts.readable],
				bound: [...(vendor.bound ?? []), ...(mounts.bound ?? [])],
				environment: vendor.environment ?? {},
			};
		} catch (error) {
			return error instanceof Error ? error.message : String(error);
		}
	}

	/** Why there is no sandbox on this machine; null if there is one, which was tried out. */
	async #problem(wanted: boolean): Promise<string | null> {
		const { containment, environment } = this.#options;
		const asked = wanted ? "Its project asks for a sandbox (sandbox: on)" : "Its workspace was made for a sandbox";
		if (containment !== "bubblewrap")
			return `${asked}, which needs bubblewrap; what keeps processes together here is ${containment}. Install bubblewrap, or say sandbox: off.`;
		this.#tried ??= tried(environment);
		const reason = await this.#tried;
		return reason === null ? null : `${asked}, and bubblewrap cannot make one here: ${reason}`;
	}
}

/** Starts a small sandbox and checks that it isolates. */
async function tried(environment: NodeJS.ProcessEnv): Promise<string | null> {
	const place = temporaryFolderNow("sandbox");
	const [inside, outside, hidden] = [
		path.join(place, "inside"),
		path.join(place, "outside"),
		path.join(place, "hidden"),
	];
	try {
		for (const folder of [inside, outside, hidden]) mkdirSync(folder);
		writeFileSync(path.join(hidden, "secret"), "secret");
		const mounts: SandboxMounts = { hidden: [place], readable: [outside], writable: [inside], fixed: [] };
		const script = `touch "$1/x" && ! touch "$2/x" 2>/dev/null && ! cat "$3/secret" 2>/dev/null && ! touch /brood-probe 2>/dev/null && echo holds`;
		const { said, errors } = await probe(
			{ level: "bubblewrap", script, args: [inside, outside, hidden], mounts },
			environment,
		);
		return said === "holds" ? null : errors || "what should be out of reach is not";
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	} finally {
		await removeFolder(place);
	}
}
