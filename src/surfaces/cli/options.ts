// Options that many commands share.
import { type Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";

export const json = () => new Option("--json", "print one JSON document");
export const reason = (text = "the reason, for the journal") => new Option("--reason <text>", text).default("");
export const project = (text = "look for the agent's name in this project first") =>
	new Option("--project <slug>", text);
export const onlyProject = () => new Option("--project <slug>", "only this project");

export const allProjects = () => new Option("--all-projects", "like --all, but in all projects");

/** Every command that answers something prints it as JSON if asked to. */
export const subcommand = (parent: Command, name: string, description: string) =>
	parent.command(name).description(description).addOption(json());

/** A command that names agents, or whatever else may have the same name in two projects. */
export const scopedSubcommand = (parent: Command, name: string, description: string, projectText?: string) =>
	subcommand(parent, name, description).addOption(project(projectText));

/** A command about one agent. */
export const agentSubcommand = (
	parent: Command,
	name: string,
	description: string,
	agent = "name, project/name, id, or the first characters of the id",
) => scopedSubcommand(parent, name, description).argument("<agent>", agent);

export const policy = () =>
	new Option(
		"--policy <policy>",
		"what it may do without asking you: nothing, edits in its workspace, or everything",
	).choices(["ask", "auto-edit", "full"] as const);

export const mergeStrategyOption = () =>
	new Option("--strategy <how>", "how to merge; default: the project's setting").choices([
		"ff",
		"merge",
		"squash",
		"rebase",
	] as const);

/** One name for each `--env`, so that words after it are not taken for names. */
export const env = () =>
	new Option(
		"--env <name>",
		"give this variable of your shell, such as ANTHROPIC_API_KEY, to agents of this type; may be repeated",
	).argParser((name: string, before: string[] | undefined) => [...(before ?? []), name]);

/** Drops options that are absent or empty. */
export const withoutEmpty = (given: Readonly<Record<string, unknown>>): object =>
	Object.fromEntries(Object.entries(given).filter(([, value]) => Boolean(value)));

/** A whole number; commander itself accepts any text. */
export function wholeNumber(words: string): number {
	if (!/^-?\d{1,9}$/.test(words)) throw new InvalidArgumentError("It has to be a whole number.");
	return Number(words);
}

/** How many of something. */
export function countNumber(words: string): number {
	if (!/^\d{1,9}$/.test(words)) throw new InvalidArgumentError("It has to be a whole number, 0 or more.");
	return Number(words);
}

/** The id of an item, or of a mail: `rule` says where to find it. */
const idNumber =
	(rule: string) =>
	(words: string): number => {
		if (!/^[1-9]\d{0,14}$/.test(words)) throw new InvalidArgumentError(rule);
		return Number(words);
	};
export const itemNumber = idNumber("It has to be an item's number, as `brood log` shows it.");
export const mailNumber = idNumber("It has to be the id of a mail, as `brood mail check` shows it.");

/** A number of seconds, with up to three decimals; or a time with its unit. */
export function seconds(words: string): number {
	const [, number = "", unit = "s"] = /^(\d{1,7}(?:\.\d{1,3})?)([smhd]?)$/.exec(words) ?? [];
	if (number === "")
		throw new InvalidArgumentError("Use a number of seconds (0.5, 600), or a time like 90s, 10m or 2h.");
	const found = Number(number) * (secondsIn[unit] ?? 1);
	if (found > secondsMax) throw new InvalidArgumentError(`${secondsMax} seconds (30 days) at most.`);
	return found;
}

const secondsIn: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };

const secondsMax = 30 * 86_400;

/** A bare number is an issue: an agent whose name is one is reached as project/3. */
export const isIssue = (reference: string): boolean => /#|^\d+$/.test(reference);
