// How nodes tell each other that the journal has grown: NOTIFY beside the batches, after COMMIT. It is a hint; everybody
// looks every second anyway. Never inside a batch: a transaction with a notification takes a lock of the whole server
// until it has ended.
import { setTimeout as pause } from "node:timers/promises";
import { expected } from "#contract/log.ts";
import type { CommitNotifications } from "#engine/ports/store.ts";
import type { SideConnection } from "./side-connection.ts";

const channel = "brood";
/** by which the engines of a database are counted */
export const applicationName = "brood notifications";
const pollMs = 1000;
/** plain items are told of less often: each word wakes every node */
const tellMs = { plain: 50, other: 5 };
/** what is said in place of an event's id */
const errandWord = "errand";
/** what follows the id if only plain items were added */
const plainWord = " items";

export class PostgresNotifications implements CommitNotifications {
	readonly #connection: SideConnection;
	#others = false;
	/** beats tell who else is there; engines that are not nodes count the connections */
	#beats = false;
	#last = 0;
	/** up to here the others were told, and when */
	#told = 0;
	#toldAt = Number.NEGATIVE_INFINITY;
	/** whether there are only plain items after that */
	#plain = true;
	#timer: NodeJS.Timeout | undefined;
	readonly #errandLooks = new Set<() => void>();

	constructor(connection: SideConnection) {
		this.#connection = connection;
	}

	/** What a beat was answered. */
	heard(others: boolean): void {
		this.#beats = true;
		this.#others = others;
	}

	follow(look: (plain: boolean) => void): AsyncDisposable {
		this.#connection.onOpen(async (client) => {
			const { rows } = await client.query("select pg_backend_pid() as pid");
			const own = Number(rows[0]?.pid);
			client.on("notification", ({ processId, payload }) => {
				// not this node's own
				if (processId === own) return;
				if (payload === errandWord) this.#lookForErrands();
				else look(payload?.endsWith(plainWord) ?? false);
			});
			await client.query(`listen ${channel}`);
			// what came while nobody listened
			look(false);
			this.#lookForErrands();
		});
		const stop = new AbortController();
		const ended = this.#poll(look, stop.signal);
		return {
			[Symbol.asyncDispose]: async () => {
				stop.abort();
				await ended;
			},
		};
	}

	/** At once, but at most once in a few milliseconds, and only if somebody listens. */
	tell(last: number, plain: boolean): void {
		this.#last = Math.max(this.#last, last);
		this.#plain &&= plain;
		if (!this.#others) return;
		const pauseMs = this.#toldAt + (this.#plain ? tellMs.plain : tellMs.other) - performance.now();
		clearTimeout(this.#timer);
		if (pauseMs <= 0) this.#tellNow();
		else this.#timer = setTimeout(() => this.#tellNow(), pauseMs);
	}

	#tellNow(): void {
		if (this.#last === this.#told) return;
		const word = `${this.#last}${this.#plain ? plainWord : ""}`;
		[this.#told, this.#toldAt, this.#plain] = [this.#last, performance.now(), true];
		this.#say(word);
	}

	#say(word: string): void {
		this.#connection
			.rows({ name: "tell", text: "select pg_notify($1, $2)", values: [channel, word] })
			.catch(expected("the others look every second"));
	}

	onErrand(look: () => void): Disposable {
		this.#errandLooks.add(look);
		return { [Symbol.dispose]: () => void this.#errandLooks.delete(look) };
	}

	/** At once: somebody waits for it. */
	tellErrand(): void {
		if (this.#others) this.#say(errandWord);
	}

	#lookForErrands(): void {
		for (const look of this.#errandLooks) look();
	}

	async #poll(look: (plain: boolean) => void, signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			if (!this.#beats) await this.#countOthers().catch(expected("it is tried again in a second"));
			await pause(pollMs, undefined, { signal }).catch(expected("it is over"));
			if (signal.aborted) return;
			look(false);
			this.#lookForErrands();
		}
	}

	async #countOthers(): Promise<void> {
		const [row] = await this.#connection.rows<{ count: number }>({
			name: "count-others",
			text: "select count(*) from pg_stat_activity where datname = current_database() and application_name = $1",
			values: [applicationName],
		});
		if (!this.#beats) this.#others = (row?.count ?? 0) > 1;
	}
}
