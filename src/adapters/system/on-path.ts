// Whether a program can be started by its name.
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { attempt } from "./errors.ts";

/** A name with a slash is a path. */
export function isOnPath(name: string, searchPath = ""): boolean {
	if (name.includes("/")) return isExecutable(name);
	return searchPath
		.split(path.delimiter)
		.some((folder) => path.isAbsolute(folder) && isExecutable(path.join(folder, name)));
}

const isExecutable = (file: string): boolean =>
	attempt(() => {
		accessSync(file, constants.X_OK);
		return statSync(file).isFile();
	}, false);
