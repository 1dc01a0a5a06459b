// How nodes tell each other that the journal has grown: NOTIFY beside the batches, after COMMIT. It is a hint;
// everybody looks every second anyway. Never inside a batch: a transaction with a notification takes a lock of the
// whole server until it has ended.
import { setTimeout as pause } from "node:timers/promises";
import { expected } from "#contract/log.ts";
import type { CommitNotifications, EventSpan, LookReason } from "#engine/ports/store.ts";
import type { SideConnection } from "./side-connection.ts";

const channel = "brood";
/** by which the engines of a database are counted */
export const applicationName = "brood notifications";
const pollMs = 1000;
/** plain items are told of less often, and many of them still less: each notification wakes every node */
const tellMs = { many: 200, plain: 50, other: 5 };
const manyItems = 64;
/** what is said in place of events' ids */
const errandPayload = "errand";
/** the first and last of the newest events without a gap, and what follows if nothing but plain items was added */
const plainSuffix = " items";
const spanOf = /^(\d+)-(\d+) items$/;

export class PostgresNotifications implements CommitNotifications {
	readonly #connection: SideConnection;
	#others = false;
	/** beats tell who else is there; engines that are not nodes count the connections */
	#beats = false;
	/**
	 * what the others were not told of yet: the newest events without a gap, and whether all that was added is plain
	 * items
	 */
	#untold: (EventSpan & { plain: boolean; count: number }) | null = null;
	#toldAt = Number.NEGATIVE_INFINITY;
	#timer: NodeJS.Timeout | undefined;
	readonly #errandLooks = new Set<() => void>();

	constructor(connection: SideConnection) {
		this.#connection = connection;
	}

	/** What a beat was answered. */
	setOthers(others: boolean): void {
		this.#beats = true;
		this.#others = others;
	}

	follow(look: (reason: LookReason) => void): AsyncDisposable {
		this.#connection.onOpen(async (client) => {
			const { rows } = await client.query("select pg_backend_pid() as pid");
			const own = Number(rows[0]?.pid);
			client.on("notification", ({ processId, payload }) => {
				// not this node's own
				if (processId === own) return;
				if (payload === errandPayload) this.#lookForErrands();
				else look(reasonIn(payload));
			});
			await client.query(`listen ${channel}`);
			// what came while nobody listened
			look("events");
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
	tell({ first, last }: EventSpan, plain: boolean): void {
		if (!this.#others) {
			this.#untold = null;
			return;
		}
		const before = this.#untold;
		const untold = {
			first: before !== null && before.last + 1 === first ? before.first : first,
			last,
			plain: plain && (before?.plain ?? true),
			count: (before?.count ?? 0) + last - first + 1,
		};
		this.#untold = untold;
		const often = untold.plain ? (untold.count > manyItems ? tellMs.many : tellMs.plain) : tellMs.other;
		const pauseMs = this.#toldAt + often - performance.now();
		clearTimeout(this.#timer);
		if (pauseMs <= 0) this.#tellNow();
		else this.#timer = setTimeout(() => this.#tellNow(), pauseMs);
	}

	#tellNow(): void {
		if (this.#untold === null) return;
		const { first, last, plain } = this.#untold;
		[this.#untold, this.#toldAt] = [null, performance.now()];
		this.#say(`${first}-${last}${plain ? plainSuffix : ""}`);
	}

	#say(payload: string): void {
		this.#connection
			.rows({ name: "tell", text: "select pg_notify($1, $2)", values: [channel, payload] })
			.catch(expected("the others look every second"));
	}

	onErrand(look: () => void): Disposable {
		this.#errandLooks.add(look);
		return { [Symbol.dispose]: () => void this.#errandLooks.delete(look) };
	}

	/** At once: somebody waits for it. */
	tellErrand(): void {
		if (this.#others) this.#say(errandPayload);
	}

	#lookForErrands(): void {
		for (const look of this.#errandLooks) look();
	}

	async #poll(look: (reason: LookReason) => void, signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			if (!this.#beats) await this.#countOthers().catch(expected("it is tried again in a second"));
			await pause(pollMs, undefined, { signal }).catch(expected("it is over"));
			if (signal.aborted) return;
			look("time");
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

function reasonIn(payload: string | undefined): LookReason {
	const [, first, last] = spanOf.exec(payload ?? "") ?? [];
	return first === undefined ? "events" : { first: Number(first), last: Number(last) };
}
