// The journal as it is, and as it grows.
import { Refused } from "#client/client.ts";
import { isItem } from "#contract/item.ts";
import { refuse } from "#contract/refusal.ts";
import type { Item } from "#contract/wire.ts";
import { type Asking, act, type Options } from "./act.ts";
import { connect } from "./connect.ts";
import { itemLine, print, printError, printJson } from "./print.ts";
import { timeOf } from "./time.ts";

interface EventOptions extends Options {
	after: number;
	agent?: string | undefined;
	kind?: string | undefined;
	since?: string | undefined;
	follow?: true | undefined;
}

export async function events(options: EventOptions): Promise<void> {
	if (options.follow === true) return await follow(options);
	await act(
		options,
		(asking) => allPages(asking, options),
		(found) => found.map(eventLine).join("\n"),
	);
}

async function allPages({ client, query }: Asking, { agent, kind, since, after }: EventOptions): Promise<Item[]> {
	const wish = { ...query, ...(agent && { agent }), ...(kind && { kind }), ...(since && { since: timeOf(since, "earlier") }) };
	const found: Item[] = [];
	for (let from: number | null = after; from !== null; ) {
		const page: { events: Item[]; next: number | null } = await client.call("journal", { query: { ...wish, after: from, limit: 10_000 } });
		found.push(...page.events);
		from = page.next;
	}
	return found;
}

/** One item with its whole text, if it is the agent's. */
export async function itemOf({ client, query }: Asking, reference: string, id: string): Promise<Item> {
	const agent = await client.call("agent", { query, params: { agent: reference } });
	const item = await client.call("item", { params: { item: id } });
	if (item.agent !== agent.id) throw new Refused(refuse("NOT_FOUND", `${agent.handle} has no item ${id}.`, { suggestions: [`brood log ${agent.handle}`] }));
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
		if (!Array.isArray(value)) return `${name} ${typeof value === "object" ? `(${fieldsOf(value).join(", ")})` : written(value)}`;
		const brief = value.length <= 5 && value.every((each) => typeof each !== "object");
		return `${name} ${brief ? value.map(written).join(" ") : `(${value.length})`}`;
	});
}

const written = (value: unknown): string => (typeof value === "string" && !/^[\w.:/@#-]+$/.test(value) ? JSON.stringify(value) : String(value));

async function follow(options: EventOptions): Promise<void> {
	const stop = new AbortController();
	try {
		const { client } = await connect();
		const { agent: reference, kind, since, project, after } = options;
		const agent = reference === undefined ? null : (await client.ask("agent", { params: { agent: reference }, query: { project } })).id;
		const from = since === undefined ? "" : timeOf(since, "earlier");
		for await (const event of client.events(after, stop.signal)) {
			const wanted = (agent === null || event.agent === agent) && (kind === undefined || event.kind === kind || event.kind.startsWith(`${kind}.`));
			if (wanted && event.at >= from) show(event, options, eventLine);
		}
	} catch (error) {
		process.exitCode = printError(error, options.json === true);
	} finally {
		stop.abort();
	}
}

const show = (event: Item, { json }: Options, line: (event: Item) => string): void => (json === true ? printJson(event) : print(line(event)));

/** An agent's items as they come, from the first one. */
export async function followThread(reference: string, options: Options): Promise<void> {
	const stop = new AbortController();
	try {
		const { client } = await connect();
		const { id } = await client.ask("agent", { params: { agent: reference }, query: { project: options.project } });
		for await (const event of client.events(0, stop.signal)) {
			if (event.agent === id && isItem(event)) show(event, options, itemLine);
		}
	} catch (error) {
		process.exitCode = printError(error, options.json === true);
	} finally {
		stop.abort();
	}
}
