// The thread that answers reads. It decides nothing and so loads neither the engine nor a schema: memory that every
// idle daemon would keep.
import type { Reads } from "#engine/ports/store.ts";
import { sqlReads } from "../sql/reads.ts";
import { SqliteConnection } from "./connection.ts";
import { markBackup } from "./file.ts";
import type { StoreThread, ThreadRequest } from "./thread.ts";

export class ReadThread implements StoreThread {
	readonly #file: string;
	/** opened with the first read: before that the writer may still be creating the file */
	#connection: SqliteConnection | null = null;
	#reads: Reads | null = null;

	constructor(file: string) {
		this.#file = file;
	}

	async do(ask: ThreadRequest): Promise<unknown> {
		this.#connection ??= new SqliteConnection(this.#file, { readOnly: true });
		if ("backup" in ask) return this.#connection.copyTo(ask.backup, markBackup);
		if (!("read" in ask)) throw new Error("the reader's thread only reads");
		this.#reads ??= sqlReads(this.#connection);
		const method: unknown = Reflect.get(this.#reads, ask.read);
		if (typeof method !== "function") throw new Error(`there is no read ${ask.read}`);
		if (ask.read !== "mirrored") return await Reflect.apply(method, this.#reads, ask.args);
		await this.#connection.exec("begin");
		try {
			return await Reflect.apply(method, this.#reads, ask.args);
		} finally {
			await this.#connection.exec("commit");
		}
	}

	afterwards(): void {}

	[Symbol.dispose](): void {
		this.#connection?.[Symbol.dispose]();
	}
}
