// What Brood keeps in a home. Everything else there belongs to somebody else and is not touched. The repository of the
// playground is not in the list either: a person may work in it (`programs/uninstall.ts` looks).
import { readdirSync } from "node:fs";

const folders = /^(adapters|blobs|credentials|partials|projects|agent-folders|trash|vendors)$/;
/** with the companions of databases, older logs, and half-written files of a process that died */
const files =
	/^(id|token|socket|last-event|postgres-journal|replaced|config\.yaml|daemon\.out|(browsers|browsers-remote|clock|daemon|port|terminal)\.json|(brood\.db|daemon\.log|lock)([.-][\w.-]+)?)(\.\d+)?(\.new)?$/;

export const isOfHome = (name: string): boolean => folders.test(name) || files.test(name);

/** The names in a folder that are not Brood's; files that a user's own programs hide there do not count. */
export const foreignNames = (folder: string): string[] =>
	readdirSync(folder)
		.filter((name) => !isOfHome(name) && !name.startsWith("."))
		.sort();
