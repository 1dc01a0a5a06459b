import { useSeen } from "./hooks.ts";

/** Another one when a turn begins or ends: for what is asked again then, and not at each report of a turn. */
export const useOpenTurns = (): string =>
	useSeen()
		.agents.map(({ id, turn }) => (turn === null ? "" : `${id} ${turn.id}`))
		.join("");
