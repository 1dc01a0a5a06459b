// What an empty conversation shows: what can be done here.
import { inline } from "#contract/visible.ts";
import { painted } from "#views/paint.ts";
import { hanging } from "./block-rows.ts";
import type { Seen, State } from "./model.ts";

export function welcomeRows(state: State, seen: Seen, { width, colour }: { width: number; colour: boolean }): string[] {
	const agent = seen.agents.get(state.current);
	if (agent === undefined || seen.connection === "connecting") return [];
	const faint = (text: string): string[] => hanging("  ", text, width).map((row) => painted("faint", row, colour));
	if (seen.isLoading(agent.id)) return faint("Loading …");
	if (agent.life === "ended") return faint(`${inline(agent.handle)} said nothing.`);
	if (agent.supervisor !== null)
		return [
			...faint("Type what the agent should do and press Enter."),
			"",
			...listed("@file", "names a file of its workspace"),
			...listed('/fork "prompt"', "makes a child with this conversation and these files"),
		];
	const where = seen.project === null ? "without a project" : `in ${inline(seen.project)}`;
	return [
		...faint(`${inline(agent.handle)} is the root of all agents. Work is done by agents below it.`),
		"",
		...listed("/add NAME --type claude", `makes an agent ${where}`),
		...listed("Ctrl+↓, Ctrl+T", "go to an agent; choose one"),
		...listed("/help, F1", "show the commands, the keys"),
		...(seen.project === null ? ["", ...faint(withoutProject(seen))] : []),
	];

	function listed(key: string, text: string): string[] {
		const column = agent?.supervisor === null ? 27 : 18;
		const [first = "", ...more] = hanging(" ".repeat(column), text, width);
		return [`  ${painted("strong", key, colour)}${first.slice(2 + key.length)}`, ...more];
	}
}

const withoutProject = ({ isRepository }: Seen): string =>
	isRepository
		? "This repository is not a project. `brood project add .` adds it; brood then works on its files."
		: "Start brood in a git repository to work on its files.";
