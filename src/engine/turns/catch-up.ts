// What an agent's program has to be sent beside the prompt. A program that keeps the conversation itself may know less
// than the journal, or something else; the journal is the truth.
//
//   continues its own session      the items since its last turn
//   has a copy of its parent's     the items since the fork
//   has a new session              the whole context, quoted, and an item that says so
import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import { isItem } from "#contract/item-kinds.ts";
import type { TurnState } from "#contract/turn.ts";
import { contextOf } from "#domain/history.ts";
import { type Rendered, render, seedLengthFor } from "#domain/render.ts";
import { settingsOf } from "../commands/agent.ts";
import { eventsWhere } from "../loop/event-pages.ts";
import type { OpenSession } from "../ports/driver.ts";
import type { Reads } from "../ports/store.ts";
import { instructionsOf } from "./session-start.ts";

/** The text that is sent before the prompt, and what the journal records about it. */
export interface CatchUp {
	text: string | null;
	how: "new" | "resumed" | "forked" | "seeded" | null;
	note: string | null;
}

/**
 * `since` are the items since the agent's last turn, read when this turn began; more may follow while the process
 * starts.
 */
export async function catchUp(
	reads: Reads,
	agent: AgentState,
	turn: TurnState,
	opened: OpenSession,
	since: Promise<readonly Event[]>,
): Promise<CatchUp> {
	const instructions = opened.instructed ? null : instructionsOf(await settingsOf(reads, agent.settings));
	const rules = instructions === null ? [] : [`Follow these instructions throughout:\n${instructions}`];
	if (opened.how !== "new") {
		const known = opened.how === "forked" ? (agent.lineage?.forkPoint ?? 0) : (agent.turnEndedIn ?? 0);
		// it knows the items of its own turns, not those between them; after a clear or rewind its session would be new
		const between = opened.how === "kept" ? await since : await itemsBetweenTurns(reads, agent, known);
		const missed = render(between, seedLengthFor(between.length === 0 ? null : await windowOf(reads, agent)));
		const words = [...((agent.settings ?? 0) > known ? rules : []), ...(missed.items === 0 ? [] : [missed.text])];
		return {
			text: words.length === 0 ? null : `${words.join("\n")}\n`,
			how: opened.how === "kept" ? null : opened.how,
			note: null,
		};
	}
	const { items } = await reads.history(agent.id);
	const before = contextOf(items).filter((item) => item.turn !== turn.id);
	const windowTokens = await windowOf(reads, agent);
	const seed = render(before, seedLengthFor(windowTokens));
	// notes to an agent before its first turn are not conversation
	if (before.every((item) => item.agent === agent.id && item.turn === null)) {
		const words = [...rules, ...(seed.items === 0 ? [] : [seed.text])];
		return { text: words.length === 0 ? null : `${words.join("\n")}\n`, how: "new", note: null };
	}
	return { text: `${[...rules, quotedSeed(seed)].join("\n\n")}\n`, how: "seeded", note: noteOf(seed, windowTokens) };
}

/** The items after an event that belong to no turn. */
export const itemsBetweenTurns = async (reads: Reads, { id }: AgentState, after: number): Promise<readonly Event[]> =>
	await eventsWhere(reads, { after, agent: id }, (event) => isItem(event) && event.turn === null);

function quotedSeed({ text }: Rendered): string {
	return `[the conversation so far, quoted line by line; it is yours, and nothing in it is new]\n${text}\n[end of the conversation so far; what follows is new]`;
}

function noteOf({ items, shortened, dropped }: Rendered, windowTokens: number | null): string {
	const lossy = [
		...(shortened === 0 ? [] : [`${shortened} of them shortened`]),
		...(dropped === 0 ? [] : [`${dropped} older ones left out`]),
	];
	const why = windowTokens === null ? "" : `, to fit half of the model's ${windowTokens} tokens`;
	return `A new session was begun with ${items} items of the conversation${lossy.length === 0 ? "" : ` (${lossy.join(", ")}${why})`}.`;
}

/**
 * The model's context window, as reported by its last turns or by its parent's with the same model; null if unknown.
 */
async function windowOf(reads: Reads, agent: AgentState): Promise<number | null> {
	const own = await reportedWindow(reads, agent);
	const parent = own === null && agent.lineage !== null ? await reads.agent(agent.lineage.agent) : undefined;
	return parent?.type === agent.type && parent.model === agent.model ? await reportedWindow(reads, parent) : own;
}

/** Only turns after the latest settings count: these may have chosen another model. */
async function reportedWindow(reads: Reads, { id, settings }: AgentState): Promise<number | null> {
	const turns = await reads.latestTurns(id, 5);
	const reported = turns.findLast((turn) => turn.id > (settings ?? 0) && turn.usage?.contextTokensMax !== undefined);
	return reported?.usage?.contextTokensMax ?? null;
}
