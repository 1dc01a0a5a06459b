// The one connection that stays open beside the pool: beats, LISTEN and NOTIFY go over it. It is opened when it is
// needed, and given up when the database does not answer in time: the next query opens another one.
import pg from "pg";
import { expected } from "#contract/log.ts";
import { numberTypes } from "./connection.ts";
import { faultOf } from "./fault.ts";

const timeoutMs = 2000;

export class SideConnection implements AsyncDisposable {
	readonly #url: string;
	readonly #applicationName: string;
	#opening: Promise<pg.Client> | null = null;
	/** of the last attempt */
	#client: pg.Client | null = null;
	#opened: ((client: pg.Client) => Promise<void>) | null = null;
	#closed = false;
	readonly #awaited = new Map<string, () => void>();

	constructor(url: string, applicationName: string) {
		this.#url = url;
		this.#applicationName = applicationName;
	}

	/** Done on each connection before anything else. */
	onOpen(work: (client: pg.Client) => Promise<void>): void {
		this.#opened = work;
		void this.#giveUp(this.#opening);
	}

	/** Rejects if the database does not answer within two seconds; the connection is another one then. */
	async rows<R extends pg.QueryResultRow>(query: { name?: string; text: string; values: unknown[] }): Promise<R[]> {
		if (this.#closed) throw new Error("the connection is closed");
		this.#opening ??= this.#open();
		const mine = this.#opening;
		try {
			return (await (await mine).query<R>(query)).rows;
		} catch (error) {
			await this.#giveUp(mine);
			throw faultOf(error);
		}
	}

	/** Resolves when a notification with this payload has come. */
	notified(payload: string): Promise<void> {
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#awaited.set(payload, resolve);
		return promise;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#closed = true;
		await this.#giveUp(this.#opening);
	}

	async #open(): Promise<pg.Client> {
		const client = new pg.Client({
			connectionString: this.#url,
			application_name: this.#applicationName,
			connectionTimeoutMillis: timeoutMs,
			query_timeout: timeoutMs,
			keepAlive: true,
			pipeline: true,
			types: numberTypes,
		});
		this.#client = client;
		// the next query opens another one
		const lost = (): void => {
			if (this.#client === client) this.#opening = null;
		};
		client.on("error", lost);
		client.on("end", lost);
		client.on("notification", ({ payload = "" }) => {
			this.#awaited.get(payload)?.();
			this.#awaited.delete(payload);
		});
		try {
			await client.connect();
			await client.query("set synchronous_commit = off");
			await this.#opened?.(client);
		} catch (error) {
			close(client);
			throw error;
		}
		return client;
	}

	async #giveUp(opening: Promise<pg.Client> | null): Promise<void> {
		if (opening === null) return;
		if (this.#opening === opening) this.#opening = null;
		await opening.then(close, expected("it was never open"));
	}
}

/** Without a word to the server, which may be gone. */
function close(client: pg.Client): void {
	client.removeAllListeners("end");
	client.on("error", expected("it is closed"));
	client.end().catch(expected("it is closed"));
	client.connection.stream.destroy();
}
