// The last lines of agents that run: what was said before the page was opened is read once, the rest comes by the
// stream.
import { useEffect } from "react";
import type { AgentId } from "#contract/ids.ts";
import { useNeeds, useStore } from "./hooks.ts";

/** for more agents than this nobody reads each line */
const linesMax = 40;

export function useLastLines(agents: readonly AgentId[]): void {
	const store = useStore();
	const shown = agents.slice(0, linesMax);
	const wanted = shown.join();
	useNeeds({ lines: shown });
	// biome-ignore lint/correctness/useExhaustiveDependencies: the list is compared by what it contains
	useEffect(() => {
		for (const agent of shown) void store.conversations.readLine(agent);
	}, [store, wanted]);
}
