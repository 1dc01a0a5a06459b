// What an agent's process gets to see of the daemon's environment: a short list, where its vendor's home is, and
// Brood's own variables.
import { allVendors } from "./vendors/vendors.ts";

const allowed =
	/^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|XDG_[A-Z_]+|(HTTPS?|ALL|NO|https?|all|no)_(PROXY|proxy)|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|NODE_COMPILE_CACHE|SSH_AUTH_SOCK)$/;
const homes = new Set(allVendors.map(({ homeVariable }) => homeVariable));

/** Ours come last: no credential may override an agent's identity. */
export function environmentFor(
	own: Readonly<Record<string, string>>,
	from: NodeJS.ProcessEnv,
	credentials: Readonly<Record<string, string>> = {},
): Record<string, string> {
	const passed = Object.entries(from).filter(
		(entry): entry is [string, string] => entry[1] !== undefined && (allowed.test(entry[0]) || homes.has(entry[0])),
	);
	return { ...Object.fromEntries(passed), ...credentials, ...own };
}

/** What one program may see besides. */
export function variablesFor(
	environmentPattern: RegExp | undefined,
	environment: NodeJS.ProcessEnv,
): Record<string, string> {
	const passed = Object.entries(environment).filter(
		(entry): entry is [string, string] => entry[1] !== undefined && environmentPattern?.test(entry[0]) === true,
	);
	return Object.fromEntries(passed);
}
