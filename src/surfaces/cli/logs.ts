// The daemon's log: a line of JSON for each entry in the file, words for people here.
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, watch } from "node:fs";
import path from "node:path";
import { homeOf } from "./connect.ts";
import { print } from "./print.ts";

export async function logs({ lines, follow }: { lines: number; follow?: true | undefined }): Promise<void> {
	const file = path.join(homeOf(), "daemon.log");
	if (!existsSync(file)) {
		print("no daemon has written anything yet");
		return;
	}
	const all = readFileSync(file, "utf8").split("\n").filter(Boolean);
	for (const line of all.slice(-lines)) print(readable(line));
	if (follow === true) await following(file);
}

function readable(line: string): string {
	try {
		const { at, text }: { at: string; text: string } = JSON.parse(line);
		return `${at} ${text}`;
	} catch {
		return line;
	}
}

async function following(file: string): Promise<never> {
	const descriptor = openSync(file, "r");
	let at = fstatSync(descriptor).size;
	let tail = "";
	for await (const _ of changes(file)) {
		const size = fstatSync(descriptor).size;
		const bytes = Buffer.alloc(Math.max(0, size - at));
		at += readSync(descriptor, bytes, 0, bytes.length, at);
		const parts = (tail + bytes.toString()).split("\n");
		tail = parts.pop() ?? "";
		for (const line of parts) print(readable(line));
	}
	closeSync(descriptor);
	throw new Error("the log is gone");
}

async function* changes(file: string): AsyncGenerator<void> {
	let wake = Promise.withResolvers<void>();
	const watcher = watch(file, () => wake.resolve());
	try {
		for (;;) {
			await wake.promise;
			wake = Promise.withResolvers();
			yield;
		}
	} finally {
		watcher.close();
	}
}
