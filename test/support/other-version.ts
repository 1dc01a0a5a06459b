// Another version of our programs: a copy of the bundle in which some words are others.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { programFolder, programPath } from "./programs.ts";

export class OtherVersion implements Disposable {
	readonly daemon: string;
	readonly #folder = mkdtempSync(`${programFolder}-other-`);

	/** Each of the words must be there, in one file. */
	constructor(changes: readonly (readonly [string, string])[]) {
		cpSync(programFolder, this.#folder, { recursive: true });
		this.daemon = path.join(this.#folder, path.relative(programFolder, programPath("programs/daemon")));
		const programs = readdirSync(this.#folder).filter((name) => name.endsWith(".mjs") && !name.startsWith("test-"));
		for (const [from, to] of changes) {
			const files = programs.map((name) => path.join(this.#folder, name));
			const [file, ...more] = files.filter((each) => readFileSync(each, "utf8").includes(from));
			if (file === undefined || more.length > 0) throw new Error(`"${from}" is in ${file ? more.length + 1 : 0} files`);
			writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
		}
	}

	[Symbol.dispose](): void {
		rmSync(this.#folder, { recursive: true, force: true });
	}
}
