// What an answer of the daemon does to the screen. Pure.
import type { AgentId } from "#contract/ids.ts";
import { withFile } from "./diff.ts";
import type { Panel, Seen, State } from "./model.ts";
import type { SlashAnswer } from "./slash.ts";
import { treePanel } from "./update.ts";

interface Circumstances {
	seen: Seen;
	/** the preference: goes to an agent that was forked or added */
	follow: boolean;
	/** what is in the input now */
	typed: string;
}

/** The screen after an answer, and the agent to go to. */
export function answeredWith(
	state: State,
	answer: SlashAnswer,
	{ seen, follow, typed }: Circumstances,
): { state: State; go: AgentId | null } {
	const { text, queued, go } = answer;
	// the reader may have gone elsewhere meanwhile
	const isHere = go !== undefined && state.current === go.from && follow;
	// the end of a sentence must not go to another agent than its beginning
	const isWriting = isHere && typed !== "";
	const told = isWriting ? `${text ?? ""}; you stay here, because you are writing` : text;
	const status = told === undefined ? state.status : { text: told, style: "ok" as const, queued };
	return {
		state: { ...state, status, panel: panelAfter(state, seen, answer) },
		go: isHere && !isWriting ? go.to : null,
	};
}

/** The list that is shown after an answer. */
function panelAfter(state: State, seen: Seen, { panel, file }: SlashAnswer): Panel | null {
	if (panel !== undefined) return panel.kind === "tree" ? treePanel(state, seen, panel.filter) : panel;
	return file !== undefined && state.panel?.kind === "diff" ? withFile(state.panel, file) : state.panel;
}
