// Keys that people gave to a subscription from their shell. Each subscription's are in an env file of their own in the
// home, which only its owner can read; rows and events have the file's name and never a key.
import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { type Credential, credentialPaths, type SubscriptionState } from "#contract/subscription.ts";
import { nullIfMissing } from "../system/errors.ts";

/** a file may be written before its subscription is */
const unusedMs = 3_600_000;

export class KeyFiles {
	readonly #folder: string;
	readonly #salt: () => string;

	constructor(home: string, salt: () => string) {
		this.#folder = path.join(home, "credentials");
		this.#salt = salt;
	}

	/** Always a new file: the one in use belongs to the subscription until another is recorded. */
	keep(name: string, keys: Readonly<Record<string, string>>): string {
		mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
		const file = path.join(this.#folder, `${name.replaceAll(/[^\w-]/g, "_").slice(0, 64)}-${this.#salt()}.env`);
		const lines = Object.entries(keys).map(([key, value]) => `${key}='${value}'\n`);
		for (const [location, flags] of [
			[file, "wx"],
			[this.#folder, "r"],
		] as const) {
			const handle = openSync(location, flags, 0o600);
			try {
				if (location === file) writeSync(handle, lines.join(""));
				fsyncSync(handle);
			} finally {
				closeSync(handle);
			}
		}
		return file;
	}

	/** Removes it if it is one of ours. */
	drop(credential: Credential): void {
		if (credential === null || !("envFile" in credential)) return;
		if (path.dirname(credential.envFile) === this.#folder) rmSync(credential.envFile, { force: true });
	}

	/** Removes what no subscription uses any more. */
	async sweep(
		subscriptions: readonly Pick<SubscriptionState, "credential" | "node" | "credentials" | "removedAt">[],
		now: number,
	) {
		const used = new Set(subscriptions.filter(({ removedAt }) => removedAt === null).flatMap(credentialPaths));
		for (const name of await readdir(this.#folder).catch((): string[] => [])) {
			const file = path.join(this.#folder, name);
			const found = used.has(file) ? null : await stat(file).catch(nullIfMissing);
			if (found !== null && found.mtimeMs < now - unusedMs) this.drop({ envFile: file });
		}
	}
}
