// The project of a command that names none: that of the current directory.
import { Refused } from "#client/client.ts";
import type { ProjectSlug } from "#contract/ids.ts";
import { refuse } from "#contract/refusal.ts";
import type { CliContext, Options } from "./act.ts";
import { UsageError } from "./print.ts";
import { projectHere } from "./project-here.ts";

/** The project that is named, else that of the directory; refused where there is none. */
export async function projectFor(cli: CliContext, slug?: string): Promise<string> {
	const project = slug ?? cli.query.project ?? (await projectHere(cli));
	if (project !== undefined) return project;
	throw new Refused(
		refuse("VALIDATION_ERROR", "This directory is in no project: name one.", { suggestions: ["brood project list"] }),
	);
}

export interface Scope {
	project?: ProjectSlug;
}

/**
 * Where names of agents and issues are looked for first: in the project of `--project`, else in that of the directory.
 */
export async function scopeOf(cli: CliContext, references: readonly string[]): Promise<Scope> {
	// anything else is whole, and needs no further request
	const isBare = (reference: string): boolean => !/\/|.#/.test(reference) && reference !== "init";
	if (cli.query.project !== undefined || !references.some(isBare)) return cli.query;
	const project = await projectHere(cli);
	return project === undefined ? {} : { project };
}

export interface AllOptions extends Options {
	all?: boolean | undefined;
	allProjects?: boolean | undefined;
}

export const meansAll = ({ all, allProjects }: AllOptions): boolean => all === true || allProjects === true;

/** What `--all` means: the project of `--project`, else that of the directory, else all projects. */
export async function scopeOfAll(cli: CliContext, { allProjects }: AllOptions): Promise<Scope> {
	if (allProjects === true && cli.query.project !== undefined)
		throw new UsageError("Use --project or --all-projects, not both.");
	if (allProjects === true || cli.query.project !== undefined) return cli.query;
	const project = await projectHere(cli);
	return project === undefined ? {} : { project };
}

/** The id of a named agent, for requests whose project is a filter. */
export async function agentNamed(cli: CliContext, agent: string): Promise<string> {
	return (await cli.client.call("agent", { query: await scopeOf(cli, [agent]), params: { agent } })).id;
}
