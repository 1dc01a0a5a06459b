// What an empty thread shows: what can be done here.
import { inline } from "#contract/visible.ts";
import { painted } from "#views/paint.ts";
import type { Seen, State } from "./model.ts";
import { clipped } from "./pi/text.ts";

export function welcomeRows(state: State, seen: Seen, { width, colour }: { width: number; colour: boolean }): string[] {
	const agent = seen.agents.get(state.current);
	if (agent === undefined || seen.connection === "connecting") return [];
	const row = (key: string, text: string): string =>
		clipped(`  ${painted("strong", key.padEnd(28), colour)} ${text}`, width);
	const faint = (text: string): string => clipped(painted("faint", `  ${text}`, colour), width);
	if (agent.life === "ended") return [faint(`${inline(agent.handle)} said nothing.`)];
	if (agent.supervisor !== null)
		return [
			...["Write what the agent shall do, and Enter.", ""].map(faint),
			row("@file", "names a file of its workspace"),
			row('/fork "prompt"', "makes a child with this conversation and these files"),
		];
	const place = seen.project === null ? "without a project" : `in ${inline(seen.project)}`;
	return [
		faint(`${inline(agent.handle)} is the root of all agents. Work is done by agents below it.`),
		"",
		row("/add NAME --type claude", `makes an agent ${place}`),
		row("Ctrl+↓, Ctrl+T", "go to an agent; choose one"),
		row("/help, F1", "show the commands, the keys"),
		...(seen.project === null ? ["", faint("Start brood in a git repository to work on its files.")] : []),
	];
}
