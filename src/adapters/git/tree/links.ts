// Names that seem to be inside a folder but are not: below a link, or with dots in them.
import { lstat } from "node:fs/promises";
import { nullIfMissing } from "#adapters/system/errors.ts";
import { type ByteName, parentFolders, pathOf } from "../format/names.ts";

export class Links {
	readonly #folder: string;
	readonly #known = new Map<ByteName, boolean>();

	constructor(folder: string) {
		this.#folder = folder;
	}

	/** Whether a parent is missing or not a folder. */
	async leavesFolder(name: ByteName): Promise<boolean> {
		for (const folder of parentFolders(name)) {
			const known =
				this.#known.get(folder) ??
				(await lstat(pathOf(this.#folder, folder)).catch(nullIfMissing))?.isDirectory() !== true;
			this.#known.set(folder, known);
			if (known) return true;
		}
		return false;
	}
}

/** No empty part, no dots, no git folder. An agent can put such names into the index or a ref. */
export function staysInside(name: ByteName): boolean {
	return name.split("/").every((part) => part !== "" && part !== "." && part !== ".." && part.toLowerCase() !== ".git");
}
