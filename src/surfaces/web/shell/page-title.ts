// What the browser's tab is called: the page, or the agent or issue that it shows.
import { AgentId } from "#contract/ids.ts";
import type { Agent } from "#contract/wire.ts";
import { navEntries } from "./nav-entries.ts";

/** The part before "· Brood". */
export function pageTitle(location: string, agentOf: (id: AgentId) => Agent | undefined): string {
	const [noun = "", name = "", part, number, review] = location.slice(1).split("/");
	const id = AgentId.safeParse(name);
	const agent = noun === "agents" && id.success ? agentOf(id.data)?.handle : undefined;
	if (agent !== undefined) return part === "review" ? `Review ${agent}` : agent;
	if (noun === "projects" && part === "issues") {
		const issue = number === undefined ? `Issues of ${name}` : `${name}#${number}`;
		return review === undefined ? issue : `Review ${issue}`;
	}
	if (location === "/agents") return "Agents";
	if (location === "/agents/new") return "Add an agent";
	if (location === "/projects/new") return "Add a project";
	return navEntries.find(({ href }) => href === location)?.name ?? "";
}
