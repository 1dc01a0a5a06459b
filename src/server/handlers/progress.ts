// What agents have done so far, for lists: the text of their last item, and how their branches stand.
import type { AgentState } from "#contract/agent.ts";
import { AgentId } from "#contract/ids.ts";
import { pageWhere, slicePage } from "#contract/page.ts";
import { isRefusal } from "#contract/refusal.ts";
import type { Progress } from "#contract/wire.ts";
import { doneWithin } from "#engine/loop/time-limits.ts";
import { caught } from "#engine/ports/log.ts";
import { shownAuthorOf } from "#views/conversation.ts";
import type { Handlers, RequestContext } from "../request-context.ts";

/** git looks at so many workspaces at once */
const looksMax = 8;
/** a tree that takes longer is listed without its branch */
const lookMs = 3000;
const textMax = 300;

export function progressHandlers(context: RequestContext): Pick<Handlers, "progress"> {
	return {
		progress: async ({ query: { project, agent }, page }) => {
			if (agent !== undefined) {
				const found = await progressOf(context, await context.reads.agentsWith([agent]));
				return slicePage(
					found.filter((each) => each !== undefined),
					page,
				);
			}
			return await pageWhere(
				page,
				(part) => context.reads.listAgents({ reaped: false, ...(project !== undefined && { project }) }, part),
				(agents) => progressOf(context, agents),
			);
		},
	};
}

/** Undefined for agents that have ended. */
async function progressOf(
	context: RequestContext,
	agents: readonly AgentState[],
): Promise<readonly (Progress | undefined)[]> {
	const waiting = agents.filter(({ life }) => life !== "ended");
	const found = new Map<AgentId, Progress>();
	const work = async (): Promise<void> => {
		for (let agent = waiting.shift(); agent !== undefined; agent = waiting.shift())
			found.set(agent.id, {
				agent: agent.id,
				lastText: await lastTextOf(context, agent.id),
				branch: await branchInTime(context, agent),
			});
	};
	await Promise.all(Array.from({ length: looksMax }, work));
	return agents.map(({ id }) => found.get(id));
}

async function lastTextOf({ reads }: RequestContext, agent: AgentId): Promise<string | null> {
	const items = await reads.itemsBefore(agent, null, 12);
	const last = items.findLast(({ kind, text }) => textKinds.includes(kind) && text !== null && text.trim() !== "");
	if (last === undefined) return null;
	const author = shownAuthorOf(last);
	const by = author === null ? "" : `(from ${await nameOf(author)}) `;
	return `${by}${last.text?.trim() ?? ""}`.slice(0, textMax).toWellFormed();

	async function nameOf(actor: string): Promise<string> {
		const id = AgentId.safeParse(actor.replace(/^agent:/, ""));
		return (id.success ? (await reads.agentsWith([id.data]))[0]?.handle : undefined) ?? actor;
	}
}
const textKinds: readonly string[] = ["assistant", "tool_call", "user", "final"];

/** Null if git takes too long, or fails: the rest of the line is still true. */
async function branchInTime(context: RequestContext, agent: AgentState): Promise<Progress["branch"]> {
	let found: Progress["branch"] = null;
	const look = branchProgress(context, agent).then(
		(branch) => {
			found = branch;
		},
		caught(context.engine.log, "git", "A branch could not be looked at", { agent: agent.id }),
	);
	return (await doneWithin(lookMs, look)) ? found : null;
}

async function branchProgress({ engine: { cycle } }: RequestContext, agent: AgentState): Promise<Progress["branch"]> {
	if (cycle === null || agent.workspace === null) return null;
	const [status, diff] = await Promise.all([cycle.branchStatus(agent), cycle.diff(agent, "base", "names")]);
	if (isRefusal(status) || isRefusal(diff)) return null;
	const sum = (side: "added" | "deleted"): number => diff.files.reduce((lines, file) => lines + (file[side] ?? 0), 0);
	const { ahead, behind, uncommitted } = status;
	return { ahead, behind, uncommitted, added: sum("added"), deleted: sum("deleted") };
}
