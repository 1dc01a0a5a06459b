// Rows and journal say the same twice: folding the whole journal has to give exactly the rows.

import { expect } from "vitest";
import type { Event } from "#contract/event.ts";
import { fold } from "#domain/fold/fold.ts";
import type { Reads } from "#engine/ports/store.ts";
import { everyAgent, everyTurn } from "#test/support/every.ts";
import { noRows } from "#views/rows.ts";

/**
 * What a reactor writes between the reading of the journal and that of the rows is no difference: then both are read
 * again.
 */
export async function expectFolded(reads: Reads): Promise<void> {
	for (;;) {
		const events = await reads.events({ after: 0, limit: 1_000_000 });
		const compared = await compare(reads, events).catch((error: unknown) => ({ error }));
		const isStill = (await reads.events({ after: events.length, limit: 1 })).length === 0;
		if (!isStill) continue;
		if (compared !== undefined) throw compared.error;
		return;
	}
}

async function compare(reads: Reads, events: readonly Event[]): Promise<undefined> {
	expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => at + 1));
	const folded = noRows();
	for (const event of events) fold(event, folded, () => expect.unreachable());
	const agents = await everyAgent(reads);
	expect(new Map(agents.map((row) => [row.id, row]))).toEqual(folded.agent);
	const turns = [];
	const prompts = [];
	for (const { id } of agents) {
		turns.push(...(await everyTurn(reads, id)));
		prompts.push(...(await reads.prompts(id)));
	}
	expect(new Map(turns.map((row) => [row.id, row]))).toEqual(folded.turn);
	const queued = [...folded.prompt.values()].filter(({ taken }) => taken === null);
	expect(byId(prompts)).toEqual(byId(queued));
	expect(await reads.turnLeases()).toEqual([...folded.turnLease.values()]);
	expect(await reads.openWaits()).toEqual([...folded.wait.values()].filter(({ state }) => state === "open"));
	expect(new Map((await reads.subscriptions()).map((row) => [row.name, row]))).toEqual(folded.subscription);
	expect(new Map((await reads.projects()).map((row) => [row.slug, row]))).toEqual(folded.project);
}

const byId = <T extends { id: number }>(rows: readonly T[]): T[] => [...rows].sort((a, b) => a.id - b.id);
