import { actorName } from "#views/agent-text.ts";
import { useSeen } from "../store/hooks.ts";

/** The name of whoever did or wrote something: an agent by its handle, the home's owner as `human`. */
export function ActorName({ actor }: { actor: string }) {
	const seen = useSeen();
	return actorName(actor, (id) => seen.agent(id));
}
