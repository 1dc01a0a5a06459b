// The mounts of an agent's processes in a project with `sandbox: on`. Where a sandbox cannot be made, no turn starts.
import { mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { AgentState } from "#contract/agent.ts";
import type { ContainmentLevel } from "#contract/config.ts";
import { messageOf } from "#contract/message-of.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { SandboxMounts } from "../system/mounts.ts";
import { privatePaths } from "../system/private-paths.ts";
import { removeFolder } from "../system/remove.ts";
import { temporaryFolderNow } from "../system/temporary.ts";
import { probe } from "./detect-containment.ts";
import { vendorHomes, vendorMounts } from "./vendor-mounts.ts";
import type { Variables } from "./vendors/vendor.ts";

interface SandboxOptions {
	containment: ContainmentLevel;
	environment: NodeJS.ProcessEnv;
	/** the mounts of a workspace; null if it needs no sandbox */
	mountsFor(agent: AgentState, folder: string): Promise<SandboxMounts | null | Refusal>;
	/** the folders of agents' programs */
	programs: readonly string[];
	/** the folder for what vendors' programs write, with one folder per agent */
	vendors: string;
	/** the credentials of subscriptions: files and folders that agents do not see, except their own vendor's */
	credentialFiles(): Promise<readonly string[]>;
}

export class Sandbox {
	readonly #options: SandboxOptions;
	#tried: Promise<string | null> | undefined;

	constructor(options: SandboxOptions) {
		this.#options = options;
	}

	/** Null if it needs no sandbox; a sentence if it needs one that cannot be made. */
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
			// a custom program may be any vendor's: it can read their homes, not write them
			const free = agent.type === "acp" ? vendorHomes(seen) : [];
			const hidden = [...mounts.hidden, ...privatePaths(seen), ...vendorHomes(seen)].filter(
				(location) => !free.includes(location),
			);
			return {
				...mounts,
				hidden: [...new Set([...hidden, ...(await this.#options.credentialFiles())])],
				readable: [...programs, ...mounts.readable],
				bound: [...(vendor.bound ?? []), ...(mounts.bound ?? [])],
				environment: vendor.environment ?? {},
			};
		} catch (error) {
			return messageOf(error);
		}
	}

	/** Why this machine cannot make a sandbox; null if it can. */
	async #problem(wanted: boolean): Promise<string | null> {
		const { containment, environment } = this.#options;
		const asked = wanted ? "Its project asks for a sandbox (sandbox: on)" : "Its workspace was made for a sandbox";
		if (containment !== "bubblewrap")
			return `${asked}, which needs bubblewrap; the containment here is ${containment}. Install bubblewrap, or say sandbox: off.`;
		this.#tried ??= trySandbox(environment);
		const reason = await this.#tried;
		return reason === null ? null : `${asked}, and bubblewrap cannot make one here: ${reason}`;
	}
}

/** Starts a small sandbox and checks that it isolates. */
async function trySandbox(environment: NodeJS.ProcessEnv): Promise<string | null> {
	const location = temporaryFolderNow("sandbox");
	const inside = path.join(location, "inside");
	const outside = path.join(location, "outside");
	const hidden = path.join(location, "hidden");
	try {
		for (const folder of [inside, outside, hidden]) mkdirSync(folder);
		writeFileSync(path.join(hidden, "secret"), "secret");
		const mounts: SandboxMounts = { hidden: [location], readable: [outside], writable: [inside], fixed: [] };
		const script = `touch "$1/x" && ! touch "$2/x" 2>/dev/null && ! cat "$3/secret" 2>/dev/null && ! touch /brood-probe 2>/dev/null && echo holds`;
		const { output, errors } = await probe(
			{ level: "bubblewrap", script, args: [inside, outside, hidden], mounts },
			environment,
		);
		return output === "holds" ? null : errors || "what should be out of reach is not";
	} catch (error) {
		return messageOf(error);
	} finally {
		await removeFolder(location);
	}
}
