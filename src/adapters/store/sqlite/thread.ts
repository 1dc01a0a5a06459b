// Group commit: what runs in the store's threads, of which one writes and one reads.
//
// The problem. A command is acknowledged once it is on the disk, and a flush takes a millisecond or ten. One flush per
// command would let a few hundred agents wait for each other; a flush in the daemon's own thread would stop everything
// else for as long.
//
// What always holds
//   - Nothing is answered, published or visible before COMMIT has returned.
//   - A batch is one transaction. Each command in it runs in a savepoint on the rows as the commands before it left
//     them; a refusal or a bug takes back its own savepoint and harms none of the others.
//   - Batches are committed in the order in which they were given, so the journal's ids are the order of commits.
//   - After a commit of unknown outcome this process writes nothing more (`#broken`).
//
// The steps
//   1. while a batch is being written, commands that arrive wait in `engine/loop/dispatch.ts` and become the next
//      batch: it is as large as the load, with no timer, up to 256 commands or 4 MiB; 16 or more are halved if nothing
//      is being written, so that one half is written while the other is answered (`batchCommandsMax`, `batchBytesMax`,
//      `splitMin`)
//   2. the batch comes over as one message. Decisions run here, where the rows are (`engine/commands/execute.ts`, put
//      together in `programs/store-thread.ts`): a command costs one round trip between threads, not one per read
//   3. BEGIN IMMEDIATE, the commands, COMMIT with `synchronous = full`: the one flush
//   4. the last event's id is written beside the store (`last-event-file.ts`), after a check that the store's files
//      were not unlinked or replaced
//   5. the answers go back in one message; then, with nobody waiting, the log is copied into the file if it has grown
//      long (`write-ahead-log.ts`)
// The writer is given the next batch before it has answered the last one (`batchesMax: 2`): one half of a crowd of
// callers is written while the other half is answered.
//
// A crash
//   - before COMMIT is in the log: nothing of the batch happened, and nobody was told that it did
//   - between COMMIT and the answer: it happened. The caller retries with its key and gets the receipt's answer
//   - a full disk at COMMIT is a definite no: the frame that makes the others count was not written (`fault.ts`)
//   - a failed flush is not: the kernel may have dropped the pages, and a second flush would succeed without them. The
//     store is `broken`, the daemon exits, and the next one finds what reached the disk
//   - in the middle of copying the log: the log is still there, and is copied again
//
// The reader has a connection of its own that only reads, so that a long read never delays a commit. It sees what
// is committed. Reads that are asked for in one moment go over together, and their answers come back together: a
// message costs more than most reads.
//
// Why not another way
//   - a batch every few milliseconds: too slow for one caller, too often for many
//   - decisions in the daemon's thread over rows kept in memory: two truths, and the one that answers is not the one on
//     the disk
//   - `synchronous = normal`: an acknowledged command could be lost with the power
import type { MessagePort } from "node:worker_threads";
import type { Envelope } from "#contract/command.ts";
import type { StoredReceipt } from "#contract/receipt.ts";
import type { StoreFault } from "#engine/ports/store.ts";
import type { StoreErrands } from "#engine/ports/store-errands.ts";
import { faultAtOpening, faultBeforeCommit } from "./fault.ts";

export interface ThreadData {
	role: "writer" | "reader";
	file: string;
}

export type ThreadRequest =
	| { commit: readonly Envelope[] }
	| { keep: readonly StoredReceipt[]; durable: boolean }
	| { dropReceipts: { before: number; atMost: number } }
	| { index: number }
	/** a verb of `StoreErrands` by its name */
	| { errands: keyof StoreErrands; args: readonly unknown[] }
	| { trim: true }
	/** a method of `Reads` by its name */
	| { read: string; args: readonly unknown[] }
	| { backup: string }
	| { close: true };
/**
 * What was asked in one moment goes over together: a message costs more than most reads. Answers come back the same
 * way.
 */
export type Message = { id: number; ask: ThreadRequest };
export type Reply =
	| { id: number; value: unknown }
	| { id: number; fault: { kind: StoreFault["kind"]; message: string } }
	| { ready: true }
	| { unopened: { kind: StoreFault["kind"]; message: string } }
	| { broken: string };

/** What one of the threads does: `WriteThread` or `ReadThread`. */
export interface StoreThread extends Disposable {
	do(ask: ThreadRequest): Promise<unknown>;
	/** called once the answers are sent */
	afterwards(): void;
}

/** how long answers wait for the next ones, to be sent together */
const holdMs = 1;

export function serveSqlite(port: MessagePort, role: ThreadData["role"], open: () => StoreThread): void {
	const say = (...replies: Reply[]): void => (replies.length === 0 ? undefined : port.postMessage(replies));
	const thread = opened(say, open);
	if (thread === null) {
		port.close();
		return;
	}
	let previous = Promise.resolve();
	port.on("message", (messages: readonly Message[]) => {
		// one after another: two transactions on one connection must not interleave
		previous = previous.then(async () => {
			const held: Reply[] = [];
			const from = performance.now();
			for (const message of messages) {
				held.push(await answer(thread, message));
				const isLast = message === messages.at(-1);
				// acknowledgements are sent at once
				if (role === "writer" || isLast || performance.now() - from > holdMs) say(...held.splice(0));
				if ("close" in message.ask) port.close();
				else tidyUp(thread, say);
			}
		});
	});
	say({ ready: true });
}

/** An error loses its class between threads, so its kind and message are sent. */
function opened<T>(say: (reply: Reply) => void, open: () => T): T | null {
	try {
		return open();
	} catch (error) {
		const { kind, message } = faultAtOpening(error);
		say({ unopened: { kind, message } });
		return null;
	}
}

/** After the answers are sent. A failure for want of space is retried later; a broken store is reported. */
function tidyUp(thread: StoreThread, say: (reply: Reply) => void): void {
	try {
		thread.afterwards();
	} catch (error) {
		const { kind, message } = faultBeforeCommit(error);
		if (kind === "broken") say({ broken: message });
	}
}

async function answer(thread: StoreThread, { id, ask }: Message): Promise<Reply> {
	try {
		if ("close" in ask) thread[Symbol.dispose]();
		return { id, value: "close" in ask ? null : await thread.do(ask) };
	} catch (error) {
		const { kind, message } = faultBeforeCommit(error);
		return { id, fault: { kind, message } };
	}
}
