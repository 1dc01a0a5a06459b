// The embedded store, seen from the daemon's main thread: two threads behind message ports.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Envelope } from "#contract/command.ts";
import type { Limits } from "#contract/limits.ts";
import type { CommandResult } from "#engine/ports/dispatch.ts";
import { type Reads, type Store, StoreFault } from "#engine/ports/store.ts";
import type { Message, Reply, ThreadData, ThreadRequest } from "./thread.ts";

export interface SqliteOptions {
	file: string;
	limits: Limits;
	/** the program of the threads, which runs the engine's decisions */
	program: URL;
}

export async function openSqlite({ file, limits, program }: SqliteOptions): Promise<Store> {
	const [writer, reader] = await startBoth(program, { file, limits });
	return {
		kind: "sqlite",
		batchesMax: 2,
		notifications: null,
		reads: readsThrough(reader),
		broken: Promise.race([writer.broken, reader.broken]),
		commit: (batch: readonly Envelope[]) => writer.ask<CommandResult[]>({ commit: batch }),
		backup: (to) => reader.ask<number>({ backup: to }),
		keepReceipts: (receipts, { durable }) => writer.ask<void>({ keep: receipts, durable }),
		dropReceipts: (before, atMost) => writer.ask<number>({ dropReceipts: { before, atMost } }),
		trim: () => writer.ask<void>({ trim: true }),
		index: (eventsMax) => writer.ask<number>({ index: eventsMax }),
		fence: () => {},
		beats: null,
		errands: {
			ask: (errand) => writer.ask<boolean>({ errands: "ask", args: [errand] }),
			take: (as) => writer.ask({ errands: "take", args: [as] }),
			answer: (id, answer) => writer.ask<void>({ errands: "answer", args: [id, answer] }),
			withdraw: (id) => writer.ask<boolean>({ errands: "withdraw", args: [id] }),
			answers: (ids) => writer.ask({ errands: "answers", args: [ids] }),
			drop: (before, atMost) => writer.ask<number>({ errands: "drop", args: [before, atMost] }),
		},
		async [Symbol.asyncDispose]() {
			await reader.close();
			await writer.close();
		},
	};
}

async function startBoth(program: URL, data: { file: string; limits: Limits }): Promise<[Thread, Thread]> {
	const starting = [
		Thread.start(program, { ...data, role: "writer" }),
		Thread.start(program, { ...data, role: "reader" }),
	] as const;
	try {
		return await Promise.all(starting);
	} catch (error) {
		for (const thread of await Promise.allSettled(starting))
			if (thread.status === "fulfilled") await thread.value.close();
		throw error;
	}
}

/** Sends each read by its name and arguments: the other thread has the same `Reads`. */
function readsThrough(thread: Thread): Reads {
	const reads: Reads = Object.create(null);
	return new Proxy(reads, {
		// `await reads` must not take it for a promise
		get: (_, name) =>
			typeof name === "symbol" || name === "then"
				? undefined
				: (...args: unknown[]) => thread.ask({ read: name, args }),
	});
}

/** One thread and its open requests. */
class Thread {
	readonly broken: Promise<StoreFault>;
	readonly #worker: Worker;
	// biome-ignore lint/suspicious/noExplicitAny: each request knows the type of its own answer
	readonly #open = new Map<number, PromiseWithResolvers<any>>();
	readonly #break = Promise.withResolvers<StoreFault>();
	#fault: StoreFault | null = null;
	#lastId = 0;
	/** requests of this tick of the event loop, sent together */
	readonly #outgoing: Message[] = [];
	#closing = false;

	static async start(program: URL, data: ThreadData & { limits: Limits }): Promise<Thread> {
		const worker = new Worker(program, { workerData: data, name: `store-${data.role}` });
		// an error before the first message is the reason why the store cannot be opened
		const [replies] = await once(worker, "message");
		for (const reply of replies)
			if ("unopened" in reply) throw new StoreFault(reply.unopened.kind, reply.unopened.message);
		return new Thread(worker);
	}

	private constructor(worker: Worker) {
		this.#worker = worker;
		this.broken = this.#break.promise;
		worker.on("message", (replies: readonly Reply[]) => {
			for (const reply of replies) this.#settle(reply);
		});
		worker.on("error", (error: Error) =>
			this.#breakDown(new StoreFault("broken", `The store's thread failed: ${error.message}`, error)),
		);
		worker.on("exit", () => this.#breakDown(new StoreFault("broken", "The store's thread ended.")));
	}

	ask<T>(ask: ThreadRequest): Promise<T> {
		if (this.#fault !== null) return Promise.reject(this.#fault);
		const id = ++this.#lastId;
		const settle = Promise.withResolvers<T>();
		this.#open.set(id, settle);
		this.#outgoing.push({ id, ask });
		if (this.#outgoing.length === 1) queueMicrotask(() => this.#send(this.#outgoing.splice(0)));
		return settle.promise;
	}

	#send(messages: readonly Message[]): void {
		try {
			this.#worker.postMessage(messages);
		} catch (error) {
			for (const { id } of messages) this.#open.get(id)?.reject(error);
			for (const { id } of messages) this.#open.delete(id);
		}
	}

	async close(): Promise<void> {
		if (this.#closing) return;
		this.#closing = true;
		if (this.#fault !== null) {
			await this.#worker.terminate();
			return;
		}
		const exit = once(this.#worker, "exit");
		await this.ask({ close: true });
		await exit;
	}

	#settle(reply: Reply): void {
		if ("ready" in reply || "unopened" in reply) return;
		if ("broken" in reply) {
			this.#breakDown(new StoreFault("broken", reply.broken));
			return;
		}
		const settle = this.#open.get(reply.id);
		this.#open.delete(reply.id);
		if ("value" in reply) {
			settle?.resolve(reply.value);
			return;
		}
		const fault = new StoreFault(reply.fault.kind, reply.fault.message);
		settle?.reject(fault);
		if (fault.kind === "broken") this.#breakDown(fault);
	}

	#breakDown(fault: StoreFault): void {
		if (this.#fault !== null) return;
		this.#fault = fault;
		for (const settle of this.#open.values()) settle.reject(fault);
		this.#open.clear();
		if (!this.#closing) this.#break.resolve(fault);
	}
}
