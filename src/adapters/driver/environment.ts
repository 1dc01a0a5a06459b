// The environment of an agent's process: the daemon's variables that agents see (contract/environment.ts), its
// credentials, and Brood's own variables.
import { isPassed } from "#contract/environment.ts";

/** `own` come last: nothing in `more` overrides them. */
export function environmentFor(
	own: Readonly<Record<string, string>>,
	from: NodeJS.ProcessEnv,
	more: Readonly<Record<string, string>> = {},
): Record<string, string> {
	return { ...pick(from, isPassed), ...more, ...own };
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
