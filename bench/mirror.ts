// What an event costs a client's mirror, from the bytes of the stream to the changed rows: among few agents and among
// many, and in a short thread and in a long one. It has to be the same.
import { Client, type Send } from "#client/client.ts";
import { Mirror } from "#client/mirror.ts";
import type { Shown } from "#client/mirror-options.ts";
import type { Event } from "#contract/event.ts";
import { AgentId, human, system } from "#contract/ids.ts";
import type { AnswerOf } from "#contract/routes.ts";
import type { MirroredRows } from "#contract/rows.ts";
import type { Engine } from "#engine/engine.ts";
import { startEngine } from "#src/main.ts";
import { eventView } from "#views/wire.ts";
import { median, type Result } from "./table.ts";

const crowds = [10, 1000, 10_000];
const lengths = [10, 10_000];
const cycles = 150;
const rounds = 9;

export async function mirror(): Promise<Result[]> {
	await using engine = await startEngine({ memory: true });
	const journal = await life(engine);
	const none: Shown = { boards: [], threads: [] };
	const among = await measured(crowds, (count) => ({ shown: none, rows: crowd(journal, count) }), journal.events);
	const one: Shown = { boards: [], threads: [journal.agent] };
	const inThread = await measured(lengths, (count) => ({ shown: one, rows: thread(journal, count) }), journal.events);
	return [
		resultOf("An event in a mirror, by the number of agents", "agents", among),
		resultOf("An event in a mirror, by the length of the thread that is shown", "items", inThread),
	];
}

interface Journal {
	agent: AgentId;
	/** before the events, with one prompt and one mail */
	rows: MirroredRows;
	events: readonly Event[];
}

/** An agent gets mail and prompts, and has turns. */
async function life(engine: Engine): Promise<Journal> {
	const say = async (command: Parameters<Engine["dispatch"]>[0]["command"], actor = human) => {
		const outcome = await engine.dispatch({ actor, key: null, command });
		if ("refused" in outcome) throw new Error(outcome.refused.message);
		return outcome;
	};
	const made = await say({ type: "agent.spawn", parent: engine.agentZero.id, context: "fresh", workspace: "none" });
	const agent = made.done.agent?.id ?? engine.agentZero.id;
	await say({ type: "prompt.queue", agent, text: "go" });
	await say({ type: "mail.send", to: agent, body: "hello" });
	const rows = await engine.reads.mirrored({ boards: [], threads: [agent], itemsMax: 100, isPart: false });
	for (let cycle = 0; cycle < cycles; cycle++) {
		await say({ type: "mail.send", to: agent, body: "hello" });
		await say({ type: "mail.read", agent });
		await say({ type: "prompt.queue", agent, text: "go" });
		const { done } = await say({ type: "turn.start", agent }, system);
		const turn = done.event ?? 0;
		const items = Array.from({ length: 4 }, () => ({ kind: "assistant" as const, text: "words ".repeat(20) }));
		await say({ type: "turn.append", agent, turn, items }, system);
		await say({ type: "turn.end", agent, turn, state: "completed", text: "done" }, system);
	}
	return { agent, rows, events: await engine.reads.events({ after: rows.last, limit: 100_000 }) };
}

/** The same agent many times over, each with a prompt and a mail that wait. */
function crowd({ agent, rows }: Journal, count: number): MirroredRows {
	const others = Array.from({ length: count }, (_, at) => AgentId.parse(`crowd-${String(at).padStart(16, "0")}`));
	const copies = <T extends object>(
		all: readonly T[],
		of: (row: T) => boolean,
		change: (id: AgentId, at: number) => object,
	) => all.filter(of).flatMap((row) => others.map((id, at): T => ({ ...row, ...change(id, at) })));
	return {
		...rows,
		agents: [
			...rows.agents,
			...copies(
				rows.agents,
				({ id }) => id === agent,
				(id) => ({ id }),
			),
		],
		prompts: [
			...rows.prompts,
			...copies(
				rows.prompts,
				() => true,
				(id, at) => ({ id: -1 - at, agent: id }),
			),
		],
		mails: [
			...rows.mails,
			...copies(
				rows.mails,
				() => true,
				(id, at) => ({ id: -1 - at, to: id }),
			),
		],
	};
}

function thread({ agent, rows, events }: Journal, count: number): MirroredRows {
	const [said] = events.filter(({ kind }) => kind === "assistant");
	if (said === undefined) throw new Error("nothing was said");
	return { ...rows, items: Array.from({ length: count }, () => ({ ...said, agent })) };
}

type Case = { shown: Shown; rows: MirroredRows };

/** Microseconds for an event, by size. Sizes take turns, so that a slow moment of the machine harms all of them. */
async function measured(sizes: readonly number[], caseOf: (size: number) => Case, events: readonly Event[]) {
	const times = new Map(sizes.map((size): [number, number[]] => [size, []]));
	const cases = new Map(sizes.map((size) => [size, caseOf(size)]));
	const stream = sent(events);
	for (let round = -2; round < rounds; round++)
		for (const [size, each] of cases) {
			const took = await followed(each, stream, events.length);
			if (round >= 0) times.get(size)?.push(took);
		}
	return [...times].map(([size, all]): [number, number] => [size, median(all)]);
}

/** The stream as it comes over a socket, some events at a time. */
function sent(events: readonly Event[]): Uint8Array[] {
	const texts = events.map((event) => `id: ${event.id}\ndata: ${JSON.stringify(eventView(event))}\n\n`);
	const chunks: Uint8Array[] = [];
	for (let at = 0; at < texts.length; at += 20)
		chunks.push(new TextEncoder().encode(texts.slice(at, at + 20).join("")));
	return chunks;
}

async function followed({ shown, rows }: Case, stream: readonly Uint8Array[], count: number): Promise<number> {
	const stop = new AbortController();
	const begun: Omit<AnswerOf<"rows">, "rows"> = {
		journalId: "bench",
		clocks: { now: 0, monotonic: 0, turnsMax: 64 },
		unjournaled: { phases: {}, projectProblems: {}, subscriptionProblems: {} },
	};
	const text = JSON.stringify({ data: { rows, ...begun } });
	let [start, end, seen] = [0, 0, 0];
	async function* chunks(): AsyncGenerator<Uint8Array> {
		start = performance.now();
		yield* stream;
		end = performance.now();
		stop.abort();
	}
	const send: Send = async () => ({ ok: true, text: async () => text, chunks: chunks() });
	const of = new Mirror(new Client({ url: "http://127.0.0.1:1", token: "" }, send), {
		now: () => 0,
		itemsMax: Math.max(...lengths),
		changed: (changed) => {
			if ("rows" in changed) seen++;
		},
	});
	void of.show(shown);
	await of.run(stop.signal);
	if (seen !== count) throw new Error(`${seen} of ${count} events were folded`);
	return ((end - start) * 1000) / count;
}

function resultOf(title: string, what: string, costs: readonly [size: number, micros: number][]): Result {
	const [first, last] = [costs[0]?.[1] ?? Number.NaN, costs.at(-1)?.[1] ?? Number.NaN];
	const [few, many] = [costs[0]?.[0], costs.at(-1)?.[0]].map((size) => size?.toLocaleString("en"));
	const value = last / first;
	return {
		title,
		columns: [what, "microseconds"],
		rows: costs.map(([size, micros]) => [size.toLocaleString("en"), micros]),
		ratio: { name: `${many} ${what} beside ${few}`, value, target: "≤ 1.5", met: value <= 1.5 },
	};
}
