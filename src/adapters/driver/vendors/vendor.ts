// The description of one vendor's program: how to install and start it, its credentials, the repository files that it
// runs, the folders that it writes, and how it reports a usage limit. Other files read a vendor from here; only
// `acp/translate.ts` and `acp/usage.ts` also know fields that one vendor sends.
import type { Policy } from "#contract/approval.ts";
import type { CommandLine } from "../../system/containment.ts";

export interface Vendor {
	/** its name for people */
	title: string;
	/** the npm package of its ACP adapter; `lock.json` beside the description pins all packages */
	package: string;
	version: string;
	/** the command line of the adapter in the folder that npm installed into */
	start(modules: string): CommandLine;
	/** environment variables for it; those of a subscription override them */
	environment?: Readonly<Record<string, string>>;
	/** whether its session keeps the items of interrupted and failed turns; tested with the real program */
	keepsInterrupted: boolean;
	/** the mode of the program for each policy: it must ask us, and let no model answer in our place */
	modes?: Readonly<Record<Policy, string>>;
	/** the vendor's own program, with which people log in; agents run the adapter's copy */
	loginProgram: { name: string; install: string };
	login: {
		/**
		 * files in the user's home that a login creates, or for those that the program creates before, what a login adds
		 */
		files: readonly (string | { name: string; has: RegExp })[];
		/** instructions for the login */
		how: string;
		/** variables with keys that its program accepts in place of a login; agents see them only from a subscription */
		keys: readonly string[];
		/** further variables that a key may need, such as the address of a gateway */
		alongside: readonly string[];
	};
	/** the variable for the folder of its settings and login; a subscription with a `configDir` sets it */
	homeVariable: string;
	/** its settings folders; in a sandbox the agent's own folders are mounted over them */
	folders(seen: Variables, home: string): readonly VendorFolder[];
	trust: {
		/**
		 * files of a repository that it runs or obeys (hooks, tool servers, plugins), in lower case; agents of every
		 * type ask about them
		 */
		obeys: readonly string[];
		/** the same, for files that no other vendor's program reads */
		obeysAlone?: readonly string[];
		/** files among these that it writes itself, or that it only reads */
		harmless?: RegExp;
	};
	/**
	 * whether a question is about a tool of the server `brood`; by what the program says itself, not by words of its
	 * model
	 */
	asksForBroodTool?(request: object, input: unknown): boolean;
	limits?: {
		/** matches a log line about a request that the provider refused; the first group is the provider's message */
		limitLogPattern?: RegExp;
		/** whether an error is a usage limit, by a field of the error */
		isLimit?(error: object): boolean;
		/** the text of an error, if it is not in the error's message */
		textOf?(error: object): string | null;
		/** the end of the limit, in the vendor's own format */
		endIn?(text: string, now: number): number | null;
	};
}

export type Variables = Readonly<Record<string, string | undefined>>;

export interface VendorFolder {
	location: string;
	/** login files, which the program renews */
	logins: readonly string[];
	/** a file outside of this folder that the program keeps inside of it once `variable` is set */
	adopts?: { from: string; as: string };
	/** the variable that names this folder to the program */
	variable?: string;
}

/** Runs a script with our own Node: the machine may have an older one, or none. */
export const nodeScript = (file: string, args: readonly string[] = []): CommandLine => ({
	command: process.execPath,
	args: [file, ...args],
});

export const sameMode = (mode: string): Record<Policy, string> => ({ ask: mode, "auto-edit": mode, full: mode });

/** A nested field; undefined if it or a field above it is missing. */
export const fieldOf = (value: unknown, ...names: readonly string[]): unknown =>
	names.reduce<unknown>((inner, name) => Reflect.get(Object(inner), name), value);
