// Creating all commands takes longer than running one. This creates only those that the arguments name; the definitions
// of the others are called and dropped.
import { Command } from "@commander-js/extra-typings";

/** Stands for every command that is not named: each call returns itself. */
const dropped: Command = Object.assign(new Command("dropped"), {
	command: () => dropped,
	description: () => dropped,
	usage: () => dropped,
	alias: () => dropped,
	argument: () => dropped,
	addArgument: () => dropped,
	option: () => dropped,
	requiredOption: () => dropped,
	addOption: () => dropped,
	addHelpText: () => dropped,
	action: () => dropped,
	hook: () => dropped,
	allowUnknownOption: () => dropped,
	allowExcessArguments: () => dropped,
	passThroughOptions: () => dropped,
	enablePositionalOptions: () => dropped,
	commandsGroup: () => dropped,
	optionsGroup: () => dropped,
	helpGroup: () => dropped,
});

export interface Narrowed {
	/** whether a named command does not exist under that name: all commands have to be created to say so */
	missed(): boolean;
}

/** From now on `parent.command` creates only the command that the first word names, and below it that of the second. */
export function narrow(parent: Command, [word, ...rest]: readonly string[]): Narrowed {
	if (word === undefined || word.startsWith("-")) return { missed: () => false };
	let found: Command | null = null;
	let below: Narrowed = { missed: () => false };
	let droppedAny = false;
	const create = parent.command.bind(parent);
	Object.assign(parent, {
		command(name: string, options?: { hidden?: boolean }): Command {
			if (name !== word) {
				droppedAny = true;
				return dropped;
			}
			const made = create(name, options);
			found = made;
			below = narrow(made, rest);
			return made;
		},
	});
	return { missed: () => (found === null ? droppedAny : below.missed()) };
}
