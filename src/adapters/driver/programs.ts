// How to start the agents of each type: our own programs, a vendor's if it is installed, or the agent's own program.
import path from "node:path";
import type { AgentState } from "#contract/agent.ts";
import type { Policy } from "#contract/approval.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { CommandLine } from "../system/containment.ts";
import { isOnPath } from "../system/on-path.ts";
import { adapterCommand } from "./install.ts";
import type { Vendor } from "./vendors/vendor.ts";
import { vendors } from "./vendors/vendors.ts";

export interface AgentProgram extends CommandLine {
	/** our own programs leave nothing behind at the end of a turn; a vendor's tools may */
	leavesNothing: boolean;
	/** keeps the conversation itself, in sessions of its own */
	keepsSession?: boolean;
	/** its session has the items of interrupted turns, as the journal has */
	keepsInterrupted?: boolean;
	/** the program's mode for each policy */
	modes?: Readonly<Record<Policy, string>>;
	/** how it logs that its provider refused it */
	limitLogPattern?: RegExp;
	/** more of the daemon's variables, such as keys, which only this program gets */
	environmentPattern?: RegExp;
	/** more variables */
	environment?: Readonly<Record<string, string>>;
}

/** Or a sentence that says why there is none, and what to do. */
export type FindProgram = (agent: Pick<AgentState, "type" | "program">) => AgentProgram | string;

export const programTypes: readonly string[] = [...Object.keys(vendors), "acp"];

export function programsFrom({
	own,
	adapters,
}: {
	own: Readonly<Record<string, AgentProgram>>;
	adapters: string;
}): FindProgram {
	return ({ type, program: line }) => {
		const known = own[type];
		if (known !== undefined) return known;
		if (type === "acp") return named(line);
		const vendor = vendors[type];
		if (vendor === undefined) return `There is no agent type ${type}.`;
		const program = adapterCommand(adapters, type);
		return program === null
			? `The adapter for ${vendor.title} is not installed. Install it with: brood setup ${type}`
			: { ...program, ...vendorTraits, ...traitsOf(vendor) };
	};
}

/** Refuses an agent whose program is not here. `human` has none. */
export function missingProgram(
	find: FindProgram,
	agent: Pick<AgentState, "type" | "program">,
	searchPath: string | undefined,
): Refusal | null {
	const { type } = agent;
	// an `acp` agent without a program is refused by its rule
	const program = type === "human" || (type === "acp" && agent.program === null) ? null : find(agent);
	if (typeof program === "string")
		return refuse("PROGRAM_MISSING", program, { suggestions: type in vendors ? [`brood setup ${type}`] : [] });
	if (program === null || isOnPath(program.command, searchPath)) return null;
	const isAbsolute = path.isAbsolute(program.command);
	// a relative path is one in its workspace, which is not there yet
	if (program.command.includes("/") && !isAbsolute) return null;
	if (isAbsolute)
		return refuse("PROGRAM_MISSING", `${program.command} is not a program: there is no such executable file.`, {
			details: { program: program.command },
		});
	return refuse("PROGRAM_MISSING", `The program ${program.command} is not on the daemon's PATH. Install it first.`, {
		details: { program: program.command },
		suggestions: ["brood restart"],
	});
}

const traitsOf = ({ keepsInterrupted, modes, environment, limits }: Vendor) => ({
	keepsInterrupted,
	...(modes && { modes }),
	...(environment && { environment }),
	...(limits?.limitLogPattern && { limitLogPattern: limits.limitLogPattern }),
});

const vendorTraits = { leavesNothing: false, keepsSession: true } as const;

function named(line: string | null): AgentProgram | string {
	const [command, ...args] = (line === null ? null : splitCommandLine(line)) ?? [];
	return command === undefined ? `This is not a program with arguments: ${line}` : { command, args, ...vendorTraits };
}

/** Splits a command line into words, with quotes and backslashes, and no other shell syntax. */
export function splitCommandLine(line: string): string[] | null {
	const words: string[] = [];
	let word: string | null = null;
	let quote: string | null = null;
	for (let at = 0; at < line.length; at++) {
		const character = line.charAt(at);
		if (quote !== null && character === quote) quote = null;
		else if (quote === null && (character === "'" || character === '"')) [quote, word] = [character, word ?? ""];
		else if (character === "\\" && quote !== "'") word = (word ?? "") + line.charAt(++at);
		else if (quote === null && /\s/.test(character)) {
			if (word !== null) words.push(word);
			word = null;
		} else word = (word ?? "") + character;
	}
	if (quote !== null) return null;
	return word === null ? words : [...words, word];
}
