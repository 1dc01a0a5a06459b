// Names that look as if they were inside a folder and are not: below a link, or with dots in them.
import { lstat } from "node:fs/promises";
import { nullIfMissing } from "#adapters/system/errors.ts";
import { type ByteName, parentFolders, pathOf } from "../format/names.ts";

export class Links {
	readonly #folder: string;
	readonly #known = new Map<ByteName, boolean>();

	constructor(folder: string) {
		this.#folder = folder;
	}

	/** Whether something above the name is missing or not a folder. */
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

/** No empty part, no dots, no git folder. Whoever can write the index or a ref can put such names there. */
export function staysInside(name: ByteName): boolean {
	return name.split("/").every((part) => part !== "" && part !== "." && part !== ".." && part.toLowerCase() !== ".git");
}
