// Everything that Brood has to know of one vendor's program, in one description: how it is installed and started, what
// lets it in, what it obeys, where it writes and how it says that a usage limit was met. Whoever needs any of that
// reads it here and knows no vendor by name.
import type { Policy } from "#contract/approval.ts";
import type { CommandLine } from "../../system/containment.ts";

export interface Vendor {
	/** what people call it */
	title: string;
	/** the npm package that is driven; its lock is `lock.json` beside the description */
	package: string;
	version: string;
	/** the program inside of the folder that npm installed it into */
	start(modules: string): CommandLine;
	/** variables that it is given, unless a subscription has others */
	environment?: Readonly<Record<string, string>>;
	/** whether its session has what a turn said that was interrupted or failed; seen by the tests of the real program */
	keepsInterrupted: boolean;
	/** the mode in which it asks us, and lets nobody else answer, for each of our policies */
	modes?: Readonly<Record<Policy, string>>;
	/** the program with which people log in; agents run the copy of the adapter */
	program: { name: string; install: string };
	login: {
		/** files of the user's home that a login leaves behind */
		files: readonly string[];
		/** how to log in, with the program at hand */
		how: string;
		/** variables with keys that its program accepts in place of a login; agents see them only from a subscription */
		keys: readonly string[];
		/** further variables without which a key may be of no use, such as the address of a gateway */
		alongside: readonly string[];
	};
	/** the variable that tells it where its settings and its login are; a subscription with a `configDir` sets it */
	homeVariable: string;
	/** the folders of its home, as it finds them: what a sandbox lays the agent's own over */
	folders(seen: Variables, home: string): readonly VendorFolder[];
	trust: {
		/**
		 * what it obeys of a repository: hooks, tool servers, plugins. In lower case, and asked about for agents of every
		 * type
		 */
		obeys: readonly string[];
		/** the same, but no other vendor's program would look at it */
		obeysAlone?: readonly string[];
		/** what it writes there by itself, and what is only read */
		harmless?: RegExp;
	};
	limits?: {
		/** how it logs that the model's provider refused a request, with the provider's words as the first group */
		limitLogPattern?: RegExp;
		/** whether an error is one, by more than its words */
		isLimit?(error: object): boolean;
		/** the words of an error, where they are not its message */
		wordsOf?(error: object): string | null;
		/** when the limit ends, in a form that only this vendor has */
		endIn?(words: string, now: number): number | null;
	};
}

export type Variables = Readonly<Record<string, string | undefined>>;

export interface VendorFolder {
	place: string;
	/** files that let its program in; it renews them */
	logins: readonly string[];
	/** a file elsewhere that its program would keep here, if it were told that this is its home */
	adopts?: { from: string; as: string };
	/** what tells the program that this is its home */
	variable?: string;
}

/** With our own Node: the machine's may be too old for it, or not there. */
export const script = (file: string, args: readonly string[] = []): CommandLine => ({
	command: process.execPath,
	args: [file, ...args],
});

export const always = (mode: string): Record<Policy, string> => ({ ask: mode, "auto-edit": mode, full: mode });

/** A field inside of fields, whatever they are. */
export const fieldOf = (value: unknown, ...names: readonly string[]): unknown =>
	names.reduce<unknown>((inner, name) => Reflect.get(Object(inner), name), value);
