import type { AgentId, Handle } from "#contract/ids.ts";
import { useSeen } from "../../store/hooks.ts";
import { StateGlyph } from "../../ui/state.tsx";

/** Whoever an issue is assigned to, in the state that the agent is in. */
export function Assignee({ id, handle }: { id: AgentId; handle: Handle }) {
	const agent = useSeen().agent(id);
	return (
		<>
			{agent !== undefined && <StateGlyph agent={agent} />} {handle}
		</>
	);
}
