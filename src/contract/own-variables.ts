// Variables that Brood gives to an agent's process. A daemon or a program of a person that is started from inside one
// gets none of them: it would speak as that agent, and be ended with its processes.

/** The random id of the home: by it the processes of its agents are found. */
export const homeIdName = "BROOD_HOME_ID";

const own: ReadonlySet<string> = new Set(["BROOD_TOKEN", "BROOD_AGENT", "BROOD_URL", homeIdName]);

export const withoutOwn = <V>(environment: Readonly<Record<string, V>>): Record<string, V> =>
	Object.fromEntries(Object.entries(environment).filter(([name]) => !own.has(name)));
