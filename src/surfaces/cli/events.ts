// Prints the journal, and follows it.
import { type Client, Refused } from "#client/client.ts";
import { fullName } from "#contract/full-name.ts";
import { isItem } from "#contract/item-kinds.ts";
import { refuse } from "#contract/refusal.ts";
import type { Delta } from "#contract/stream.ts";
import { isOutput } from "#contract/unfinished.ts";
import { indented, visible } from "#contract/visible.ts";
import type { Item, WireEvent } from "#contract/wire.ts";
import { withNodeNames } from "#views/event-nodes.ts";
import { act, type CliContext, cliContextOf, type Options } from "./act.ts";
import { AgentNames } from "./agent-names.ts";
import { agentNamed } from "./directory-project.ts";
import { print, printError, printJson, printPainted, printPiece, terminalColumns } from "./print.ts";
import { LogLines, logMargin } from "./print-log.ts";
import { itemLine } from "./print-thread.ts";
import { timeOf } from "./time.ts";
import { WordWrap } from "./word-wrap.ts";

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
		async (cli) => {
			const found = await allPages(cli, options);
			if (options.json === true) return found;
			const nameOf = await nodeNames(cli.client);
			return found.map((event) => withNodeNames(event, nameOf));
		},
		(found) => found.map(eventLine).join("\n"),
	);
}

async function allPages(cli: CliContext, { agent, kind, since, after }: EventOptions): Promise<WireEvent[]> {
	const { client, query } = cli;
	const request = {
		...query,
		...(agent && { agent: await agentNamed(cli, agent) }),
		...(kind && { kind }),
		...(since && { since: timeOf(since, "earlier") }),
	};
	const found: WireEvent[] = [];
	for (let from: number | null = after; from !== null; ) {
		const page: { events: WireEvent[]; next: number | null } = await client.call("journal", {
			query: { ...request, after: from, limit: 10_000 },
		});
		found.push(...page.events);
		from = page.next;
	}
	return found;
}

/** The name of each node by its id. */
async function nodeNames(client: Client): Promise<(id: string) => string | undefined> {
	const names = new Map((await client.call("nodes")).map(({ id, name }) => [String(id), name]));
	return (id) => names.get(id);
}

/** One item of an agent, with its whole text. */
export async function itemOf(cli: CliContext, reference: string, id: string): Promise<Item> {
	const { client } = cli;
	const agent = await client.call("agent", { params: { agent: await agentNamed(cli, reference) } });
	const item = await client.call("item", { params: { item: id } });
	if (item.agent !== agent.id)
		throw new Refused(
			refuse("NOT_FOUND", `${agent.handle} has no item ${id}.`, { suggestions: [`brood log ${fullName(agent)}`] }),
		);
	return item;
}

/** The actor follows the fields. */
function eventLine(event: WireEvent): string {
	if (isItem(event)) return itemLine(event);
	const { id, kind, text, data, actor, at } = event;
	const what = [text === null ? "" : JSON.stringify(text), ...fieldsOf(data)].filter(Boolean).join(", ");
	return `${String(id).padStart(6)}  ${kind.padEnd(18)}  ${what}${what === "" ? "" : "  "}by ${actor}, ${at}`;
}

/** One part per field, and only the length of long lists. `--json` prints everything. */
function fieldsOf(data: unknown): string[] {
	return Object.entries(Object(data)).flatMap(([name, value]: [string, unknown]) => {
		if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return [];
		if (!Array.isArray(value))
			return `${name} ${typeof value === "object" ? `(${fieldsOf(value).join(", ")})` : quoted(value)}`;
		const brief = value.length <= 5 && value.every((each) => typeof each !== "object");
		return `${name} ${brief ? value.map(quoted).join(" ") : `(${value.length})`}`;
	});
}

const quoted = (value: unknown): string =>
	typeof value === "string" && !/^[\w.:/@#-]+$/.test(value) ? JSON.stringify(value) : String(value);

async function follow(options: EventOptions): Promise<void> {
	await following(options, async (cli, signal) => {
		const { client } = cli;
		const { kind, project, after } = options;
		const agent = options.agent && (await agentNamed(cli, options.agent));
		const from = await startOf(client, options, after);
		const wanted = { agent, kind, project, ...(options.deltas === true && { deltas: true }) };
		const printer = new DeltaPrinter(options.json === true);
		const names = new AgentNames(client);
		let nameOf = await nodeNames(client);
		for await (const message of client.follow({ ...wanted, after: from }, signal)) {
			if ("delta" in message) printer.show(message.delta);
			if ("event" in message && options.json !== true) await names.putInto(message.event);
			if (!("event" in message)) continue;
			if (message.event.kind === "node.joined") nameOf = await nodeNames(client);
			const line = (event: WireEvent): string => eventLine(withNodeNames(event, nameOf));
			printer.before(message.event, (event) => show(event, options, line));
		}
	});
}

const show = (event: WireEvent, { json }: Options, line: (event: WireEvent) => string): void =>
	json === true ? printJson(event) : print(line(event));

export interface LogOptions extends Options {
	after?: number | undefined;
	since?: string | undefined;
	limit?: number | undefined;
	deltas?: true | undefined;
}

/**
 * Follows an agent's items, from the first one or from where the options say. On a terminal it also shows messages
 * while they are being written.
 */
export async function followThread(reference: string, options: LogOptions): Promise<void> {
	await following(options, async (cli, signal) => {
		const { client } = cli;
		const id = await agentNamed(cli, reference);
		const last = options.limit === undefined ? null : (await lastItems(client, id, options)).at(0);
		const after =
			last === undefined
				? await lastEvent(client)
				: last === null
					? await startOf(client, options, options.after ?? 0)
					: last.id - 1;
		const printer = new DeltaPrinter(options.json === true);
		const lines = new LogLines(terminalColumns());
		const names = new AgentNames(client);
		const deltas = options.deltas === true || (options.json !== true && process.stdout.isTTY);
		for await (const message of client.follow({ agent: id, after, deltas }, signal)) {
			if ("delta" in message) printer.show(message.delta);
			if (!("event" in message) || !isItem(message.event)) continue;
			if (options.json !== true) await names.putInto(message.event);
			// also of an item that was printed while it was written: the final one may repeat it
			const line = lines.painted(message.event);
			printer.before(message.event, (item) => (options.json === true ? printJson(item) : printPainted(line)));
		}
	});
}

/** The part of a thread that the options select, oldest first. */
export async function threadPart(cli: CliContext, reference: string, options: LogOptions): Promise<Item[]> {
	return await lastItems(cli.client, await agentNamed(cli, reference), options);
}

async function lastItems(client: Client, agent: string, options: LogOptions): Promise<Item[]> {
	const after = await startOf(client, options, options.after ?? 0);
	if (options.limit !== undefined) return await newest(client, agent, { after, count: options.limit });
	return await client.call("items", { params: { agent }, query: { after } });
}

/** read from the end, in parts: the conversation may be long */
const partMax = 1000;

async function newest(client: Client, agent: string, { after, count }: { after: number; count: number }) {
	const found: Item[] = [];
	while (found.length < count) {
		const last = Math.min(count - found.length, partMax);
		const part = await client.call("items", { params: { agent }, query: { last, before: found[0]?.id } });
		const wanted = part.filter(({ id }) => id > after);
		found.unshift(...wanted);
		if (wanted.length < last) break;
	}
	return found;
}

/** The event after which to start. A time is looked up once, in the daemon. */
async function startOf(client: Client, { since }: { since?: string | undefined }, after: number): Promise<number> {
	if (since === undefined) return after;
	const { events: found } = await client.call("journal", {
		query: { since: timeOf(since, "earlier"), after, limit: 1 },
	});
	return found[0] === undefined ? await lastEvent(client) : found[0].id - 1;
}

const lastEvent = async (client: Client): Promise<number> => (await client.call("status")).lastEvent;

async function following(
	options: Options,
	work: (cli: CliContext, signal: AbortSignal) => Promise<void>,
): Promise<void> {
	const stop = new AbortController();
	try {
		await work(await cliContextOf(options), stop.signal);
	} catch (error) {
		process.exitCode = printError(error, options.json === true);
	} finally {
		stop.abort();
	}
}

/** Prints deltas as they arrive. If the closing item only repeats them, just its id is printed. */
class DeltaPrinter {
	readonly #json: boolean;
	#open: { part: string; kind: string; text: string; wrap: WordWrap } | null = null;
	/** the same, until its item has come: other items may come first */
	#streamed: { kind: string; text: string } | null = null;

	constructor(json: boolean) {
		this.#json = json;
	}

	/** The output of a call is printed once, as its result. */
	show(delta: Delta): void {
		if (isOutput(delta)) return;
		if (this.#json) {
			printJson({ delta });
			return;
		}
		const { part, kind, text } = delta;
		if (this.#open?.part !== part || this.#open.kind !== kind) {
			this.#close();
			const columns = terminalColumns();
			const wrap = new WordWrap(columns === null ? null : columns - logMargin);
			this.#open = { part, kind, text: "", wrap };
			printPiece(`${"…".padStart(6)}  ${kind.padEnd(11)}  `);
		}
		this.#open.text += text;
		this.#streamed = this.#open;
		printPiece(indented(this.#open.wrap.add(visible(text)), " ".repeat(logMargin)));
	}

	before(event: WireEvent, print: (event: WireEvent) => void): void {
		this.#close();
		const streamed = this.#streamed?.kind === event.kind ? this.#streamed : null;
		if (streamed !== null) this.#streamed = null;
		const isWhole = streamed !== null && streamed.text.trim() === event.text?.trim();
		if (isWhole) printPiece(`${String(event.id).padStart(6)}  (${event.kind}, as above)\n`);
		else print(event);
	}

	#close(): void {
		if (this.#open !== null) printPiece(`${indented(this.#open.wrap.end(), " ".repeat(logMargin))}\n`);
		this.#open = null;
	}
}
