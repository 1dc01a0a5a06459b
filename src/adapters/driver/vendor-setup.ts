// Installs a vendor's agent into the home, exactly the packages that this release was tested with, and checks that it
// starts. The previous installation stays until the new one has started.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { ContainmentLevel } from "#contract/config.ts";
import { messageOf } from "#contract/message-of.ts";
import { homeIdName } from "#contract/own-variables.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { VendorAgent } from "#contract/wire.ts";
import type { CommandLine } from "../system/containment.ts";
import { isOnPath } from "../system/on-path.ts";
import { endAll, findProcesses } from "../system/processes.ts";
import { temporaryFolderNow } from "../system/temporary.ts";
import { launch } from "./acp/launch.ts";
import { environmentFor } from "./environment.ts";
import { installedIn, installedVersion, installLocked, lockOf, looksLoggedIn, manifestOf } from "./install.ts";
import type { Vendor } from "./vendors/vendor.ts";
import { vendors } from "./vendors/vendors.ts";

export interface SetupOptions {
	/** the folder for all of them */
	adapters: string;
	homeId: string;
	containment: ContainmentLevel;
	environment: NodeJS.ProcessEnv;
}

export class VendorSetup {
	readonly #options: SetupOptions;
	readonly #underway = new Map<string, Promise<VendorAgent | Refusal>>();

	constructor(options: SetupOptions) {
		this.#options = options;
	}

	all(): VendorAgent[] {
		return Object.keys(vendors).map((type) => this.#look(type));
	}

	/** Resolves when it is installed and starts. Concurrent calls share one installation. */
	async install(type: string): Promise<VendorAgent | Refusal> {
		const vendor = vendors[type];
		if (vendor === undefined) {
			const types = Object.keys(vendors);
			return refuse(
				"VALIDATION_ERROR",
				`${JSON.stringify(type)} cannot be set up; choose one of ${types.join(", ")}.`,
				{ details: { types } },
			);
		}
		const begun = this.#underway.get(type) ?? this.#install(type, vendor).finally(() => this.#underway.delete(type));
		this.#underway.set(type, begun);
		return await begun;
	}

	async #install(type: string, vendor: Vendor): Promise<VendorAgent | Refusal> {
		const { adapters } = this.#options;
		const fresh = this.#freshFolder(type);
		if (typeof fresh !== "string") return fresh;
		try {
			await installLocked(fresh, { manifest: manifestOf(type), lock: lockOf(type) }, this.#environment());
			await this.#tryOut(type, vendor.start(path.join(fresh, "node_modules")));
			const location = installedIn(adapters, type);
			const old = `${fresh}.old`;
			if (existsSync(location)) renameSync(location, old);
			renameSync(fresh, location);
			rmSync(old, { recursive: true, force: true });
			return this.#look(type);
		} catch (error) {
			return refuse("INSTALL_FAILED", `${vendor.title} could not be set up: ${messageOf(error).slice(-1000)}`, {
				details: { type, version: vendor.version },
			});
		} finally {
			rmSync(fresh, { recursive: true, force: true });
		}
	}

	#freshFolder(type: string): string | Refusal {
		const { adapters } = this.#options;
		try {
			mkdirSync(adapters, { recursive: true, mode: 0o700 });
			return mkdtempSync(path.join(adapters, `.${type}-`));
		} catch (error) {
			return refuse(
				"INSTALL_FAILED",
				`Nothing can be installed into ${adapters}: ${messageOf(error)}. It has to be a folder that you can write, or a link to one.`,
				{ details: { path: adapters } },
			);
		}
	}

	/** npm comes with the machine's Node.js, but chooses versions by the Node.js that runs it. */
	#environment(): Record<string, string> {
		const { environment } = this.#options;
		return environmentFor(
			{ PATH: [path.dirname(process.execPath), environment["PATH"]].join(path.delimiter) },
			environment,
		);
	}

	/** Starts it up to the handshake; its login is not checked. */
	async #tryOut(type: string, program: CommandLine): Promise<void> {
		const { homeId, containment, environment } = this.#options;
		const own = { [homeIdName]: homeId, BROOD_AGENT: `setup-${type}` };
		const folder = temporaryFolderNow("setup");
		try {
			await launch({
				...program,
				containment,
				folder,
				environment: environmentFor(own, environment),
				session: null,
				signal: new AbortController().signal,
			});
		} finally {
			await endAll(() => findProcesses(own));
			rmSync(folder, { recursive: true, force: true });
		}
	}

	#look(type: string): VendorAgent {
		const { adapters, environment } = this.#options;
		const vendor = vendors[type];
		if (vendor === undefined) throw new Error(`no vendor ${type}`);
		const installed = installedVersion(adapters, type);
		const home = environment["HOME"] ?? os.homedir();
		const { title, package: name, version, login, loginProgram } = vendor;
		return {
			...{ type, title, package: name, version, installed, loggedIn: looksLoggedIn(vendor, home), login: login.how },
			...{ keys: [...login.keys], alongside: [...login.alongside] },
			loginProgram: { ...loginProgram, found: isOnPath(loginProgram.name, environment["PATH"]) },
		};
	}
}
