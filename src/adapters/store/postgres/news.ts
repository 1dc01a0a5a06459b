// How nodes tell each other that the journal has grown: NOTIFY on a connection of its own, after COMMIT. It is a hint;
// everybody looks every second anyway. Never inside a batch: a transaction with a notification takes a lock of the
// whole server until it has ended.
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { expected } from "#contract/log.ts";
import type { JournalNews } from "#engine/ports/store.ts";

const channel = "brood";
/** by which the nodes of a database are counted */
const applicationName = "brood news";
const pollMs = 1000;
const tellMs = 5;

export class PostgresNews implements JournalNews {
	readonly #url: string;
	#client: pg.Client | null = null;
	#others = false;
	#last = 0;
	#telling = false;
	#closed = false;

	constructor(url: string) {
		this.#url = url;
	}

	follow(look: () => void): AsyncDisposable {
		const stop = new AbortController();
		const ended = this.#follow(look, stop.signal);
		return {
			[Symbol.asyncDispose]: async () => {
				this.#closed = true;
				stop.abort();
				await ended;
			},
		};
	}

	/** At most once in a few milliseconds, and only if somebody listens. */
	tell(last: number): void {
		this.#last = Math.max(this.#last, last);
		if (!this.#others || this.#telling) return;
		this.#telling = true;
		setTimeout(() => {
			this.#telling = false;
			this.#query("select pg_notify($1, $2)", [channel, String(this.#last)]);
		}, tellMs);
	}

	async #follow(look: () => void, signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			if (this.#client === null) await this.#connect(look).catch(expected("it is tried again in a second"));
			await pause(pollMs, undefined, { signal }).catch(expected("it is over"));
			if (signal.aborted) break;
			look();
			this.#countOthers();
		}
		await this.#client?.end().catch(expected("the connection is gone already"));
	}

	async #connect(look: () => void): Promise<void> {
		const client = new pg.Client({
			connectionString: this.#url,
			application_name: applicationName,
			connectionTimeoutMillis: 2000,
			query_timeout: 2000,
			keepAlive: true,
			pipeline: true,
		});
		const lost = (): void => {
			if (this.#client === client) this.#client = null;
		};
		client.on("error", lost);
		client.on("end", lost);
		let own = 0;
		client.on("notification", ({ processId }) => {
			// not this node's own
			if (processId !== own) look();
		});
		try {
			await client.connect();
			const { rows } = await client.query("select pg_backend_pid() as pid");
			own = Number(rows[0]?.pid);
			await client.query(`listen ${channel}`);
		} catch (error) {
			client.end().catch(expected("it was never whole"));
			throw error;
		}
		this.#client = client;
		this.#countOthers();
		// what came while nobody listened
		look();
	}

	#countOthers(): void {
		this.#query(
			"select count(*) from pg_stat_activity where datname = current_database() and application_name = $1",
			[applicationName],
			(count) => {
				this.#others = count > 1;
			},
		);
	}

	#query(text: string, values: string[], answer: (value: number) => void = () => {}): void {
		if (this.#closed) return;
		const client = this.#client;
		client?.query(text, values).then(
			({ rows: [row] }) => answer(Number(Object.values(row ?? {})[0])),
			() => client.end().catch(expected("it is gone")),
		);
	}
}
