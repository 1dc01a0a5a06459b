// The journal as it is, and as it grows.
import { type Client, Refused } from "#client/client.ts";
import { isItem } from "#contract/item.ts";
import { refuse } from "#contract/refusal.ts";
import type { Delta } from "#contract/stream.ts";
import type { Item } from "#contract/wire.ts";
import { act, type CliContext, type Options } from "./act.ts";
import { connect } from "./connect.ts";
import { print, printError, printJson, printPiece } from "./print.ts";
import { itemLine } from "./print-thread.ts";
import { timeOf } from "./time.ts";

interface EventOptions extends Options {
	after: number;
	agent?: string | undefined;
	kind?: string | undefined;
	since?: string | undefined;
	follow?: true | undefined;
	deltas?: true | undefined;
}

export async function events(options: EventOptions): Promise<void> {
	if (options.follow === true) return await follow(options);
	await act(
		options,
		(cli) => allPages(cli, options),
		(found) => found.map(eventLine).join("\n"),
	);
}

async function allPages({ client, query }: CliContext, { agent, kind, since, after }: EventOptions): Promise<Item[]> {
	const request = {
		...query,
		...(agent && { agent }),
		...(kind && { kind }),
		...(since && { since: timeOf(since, "earlier") }),
	};
	const found: Item[] = [];
	for (let from: number | null = after; from !== null; ) {
		const page: { events: Item[]; next: number | null } = await client.call("journal", {
			query: { ...request, after: from, limit: 10_000 },
		});
		found.push(...page.events);
		from = page.next;
	}
	return found;
}

/** One item with its whole text, if it is the agent's. */
export async function itemOf({ client, query }: CliContext, reference: string, id: string): Promise<Item> {
	const agent = await client.call("agent", { query, params: { agent: reference } });
	const item = await client.call("item", { params: { item: id } });
	if (item.agent !== agent.id)
		throw new Refused(
			refuse("NOT_FOUND", `${agent.handle} has no item ${id}.`, { suggestions: [`brood log ${agent.handle}`] }),
		);
	return item;
}

/** Who did it stands behind what happened. */
function eventLine(event: Item): string {
	if (isItem(event)) return itemLine(event);
	const { id, kind, text, data, actor, at } = event;
	const what = [text === null ? "" : JSON.stringify(text), ...fieldsOf(data)].filter(Boolean).join(", ");
	return `${String(id).padStart(6)}  ${kind.padEnd(18)}  ${what}${what === "" ? "" : "  "}by ${actor}, ${at}`;
}

/** A field each; of long lists only how much is in them. `--json` has everything. */
function fieldsOf(data: unknown): string[] {
	return Object.entries(Object(data)).flatMap(([name, value]: [string, unknown]) => {
		if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return [];
		if (!Array.isArray(value))
			return `${name} ${typeof value === "object" ? `(${fieldsOf(value).join(", ")})` : written(value)}`;
		const brief = value.length <= 5 && value.every((each) => typeof each !== "object");
		return `${name} ${brief ? value.map(written).join(" ") : `(${value.length})`}`;
	});
}

const written = (value: unknown): string =>
	typeof value === "string" && !/^[\w.:/@#-]+$/.test(value) ? JSON.stringify(value) : String(value);

async function follow(options: EventOptions): Promise<void> {
	await watching(options, async (client, signal) => {
		const { agent, kind, project, after } = options;
		const from = await startOf(client, options, after);
		const wanted = { agent, kind, project, ...(options.deltas === true && { deltas: true }) };
		const pieces = new Pieces(options.json === true);
		for await (const message of client.follow({ ...wanted, after: from }, signal)) {
			if ("delta" in message) pieces.show(message.delta);
			if ("event" in message) pieces.before(message.event, (event) => show(event, options, eventLine));
		}
	});
}

const show = (event: Item, { json }: Options, line: (event: Item) => string): void =>
	json === true ? printJson(event) : print(line(event));

export interface LogOptions extends Options {
	after?: number | undefined;
	since?: string | undefined;
	number?: number | undefined;
	deltas?: true | undefined;
}

/**
 * An agent's items as they come: from the first one, or from where it is asked to begin. On a terminal also what is
 * still being said.
 */
export async function followThread(reference: string, options: LogOptions): Promise<void> {
	await watching(options, async (client, signal) => {
		const { id } = await client.ask("agent", { params: { agent: reference }, query: { project: options.project } });
		const last = options.number === undefined ? null : (await lastItems(client, id, options)).at(0);
		const after =
			last === undefined
				? await lastEvent(client)
				: last === null
					? await startOf(client, options, options.after ?? 0)
					: last.id - 1;
		const pieces = new Pieces(options.json === true);
		const deltas = options.deltas === true || (options.json !== true && process.stdout.isTTY);
		for await (const message of client.follow({ agent: id, after, deltas }, signal)) {
			if ("delta" in message) pieces.show(message.delta);
			if ("event" in message && isItem(message.event))
				pieces.before(message.event, (item) => show(item, options, itemLine));
		}
	});
}

/** The part of a thread that is asked for, oldest first. */
export async function threadPart(
	{ client, query }: CliContext,
	reference: string,
	options: LogOptions,
): Promise<Item[]> {
	const { id } = await client.call("agent", { query, params: { agent: reference } });
	return await lastItems(client, id, options);
}

async function lastItems(client: Client, agent: string, { after = 0, since, number }: LogOptions): Promise<Item[]> {
	const from = since === undefined ? "" : timeOf(since, "earlier");
	const items = (await client.call("items", { params: { agent } })).filter(
		(item) => item.id > after && item.at >= from,
	);
	return number === undefined ? items : items.slice(Math.max(0, items.length - number));
}

/** Behind which event to begin. A time is looked up once, where the events are. */
async function startOf(client: Client, { since }: { since?: string | undefined }, after: number): Promise<number> {
	if (since === undefined) return after;
	const { events: found } = await client.call("journal", {
		query: { since: timeOf(since, "earlier"), after, limit: 1 },
	});
	return found[0] === undefined ? await lastEvent(client) : found[0].id - 1;
}

const lastEvent = async (client: Client): Promise<number> => (await client.call("status")).lastEvent;

async function watching(options: Options, work: (client: Client, signal: AbortSignal) => Promise<void>): Promise<void> {
	const stop = new AbortController();
	try {
		await work((await connect()).client, stop.signal);
	} catch (error) {
		process.exitCode = printError(error, options.json === true);
	} finally {
		stop.abort();
	}
}

/** What is being said, as it comes; the item that closes it is told by its id alone if it has nothing more. */
class Pieces {
	readonly #json: boolean;
	#open: { message: string; kind: string; text: string } | null = null;

	constructor(json: boolean) {
		this.#json = json;
	}

	show(delta: Delta): void {
		if (this.#json) {
			printJson({ delta });
			return;
		}
		const { message, kind, text } = delta;
		if (this.#open?.message !== message || this.#open.kind !== kind) {
			this.#close();
			this.#open = { message, kind, text: "" };
			printPiece(`${"…".padStart(6)}  ${kind.padEnd(11)}  `);
		}
		this.#open.text += text;
		printPiece(text.replaceAll("\n", `\n${" ".repeat(21)}`));
	}

	before(item: Item, print: (item: Item) => void): void {
		const open = this.#open;
		this.#close();
		const isWhole = open !== null && open.kind === item.kind && open.text.trim() === item.text?.trim();
		if (isWhole) printPiece(`${String(item.id).padStart(6)}  (${item.kind}, as above)\n`);
		else print(item);
	}

	#close(): void {
		if (this.#open !== null) printPiece("\n");
		this.#open = null;
	}
}
