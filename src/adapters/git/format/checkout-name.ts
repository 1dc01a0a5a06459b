// An agent's name and the commands about it, for messages.
import type { Checkout } from "#engine/ports/workspace-requests.ts";

type Named = Pick<Checkout, "project" | "agent">;

/** As people type it: `project/agent`. */
export const checkoutName = ({ project, agent }: Named): string => `${project.slug}/${agent.handle}`;

export const recoverySuggestions = (checkout: Named): string[] => [
	`brood agent health ${checkoutName(checkout)}`,
	`brood agent recover ${checkoutName(checkout)}`,
];
