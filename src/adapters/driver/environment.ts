// The environment of an agent's process: a short list of the daemon's variables, its vendor's home, and Brood's own
// variables.
import { allVendors } from "./vendors/vendors.ts";

const allowed =
	/^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|XDG_[A-Z_]+|(HTTPS?|ALL|NO|https?|all|no)_(PROXY|proxy)|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|NODE_COMPILE_CACHE|SSH_AUTH_SOCK)$/;
const homes = new Set(allVendors.map(({ homeVariable }) => homeVariable));

/** Ours come last, so that no credential overrides an agent's identity. */
export function environmentFor(
	own: Readonly<Record<string, string>>,
	from: NodeJS.ProcessEnv,
	credentials: Readonly<Record<string, string>> = {},
): Record<string, string> {
	return { ...pick(from, (name) => allowed.test(name) || homes.has(name)), ...credentials, ...own };
}

/** More variables for one program. */
export const variablesFor = (pattern: RegExp | undefined, environment: NodeJS.ProcessEnv): Record<string, string> =>
	pick(environment, (name) => pattern?.test(name) === true);

const pick = (environment: NodeJS.ProcessEnv, isWanted: (name: string) => boolean): Record<string, string> =>
	Object.fromEntries(
		Object.entries(environment).flatMap(([name, value]) =>
			value !== undefined && isWanted(name) ? [[name, value]] : [],
		),
	);
