// Loaded into one of our agent programs before it starts: writes down each prompt that the process gets and everything
// that it answers, in a file of the agent below the folder LOGS. It is what the process saw, whatever the journal says.
import { appendFileSync } from "node:fs";
import path from "node:path";

const file = path.join(process.env["LOGS"] ?? ".", `${process.env["BROOD_AGENT"]}.jsonl`);
const prompts = new Set<unknown>();
const keep = (entry: object): void => appendFileSync(file, `${JSON.stringify({ pid: process.pid, ...entry })}\n`);

function lines(
	take: (message: { id?: unknown; method?: string; params?: never; result?: unknown; error?: unknown }) => void,
): (chunk: unknown) => void {
	let rest = "";
	return (chunk) => {
		const whole = (rest + String(chunk ?? "")).split("\n");
		rest = whole.pop() ?? "";
		for (const line of whole) if (line !== "") take(JSON.parse(line));
	};
}

const decoder = new TextDecoder();
const text = (chunk: unknown): unknown =>
	chunk instanceof Uint8Array ? decoder.decode(chunk, { stream: true }) : chunk;

const heard = lines(({ id, method, params }) => {
	if (method !== "session/prompt") return;
	prompts.add(id);
	const { prompt }: { prompt: { text: string }[] } = Object(params);
	keep({ got: prompt.map((part) => part.text).join("\n") });
});
const said = lines(({ id, method, params, result, error }) => {
	if (method === "session/update") keep({ update: Object(params).update });
	else if (prompts.delete(id)) keep({ answered: result ?? { error } });
});

const push = process.stdin.push.bind(process.stdin);
process.stdin.push = (chunk: unknown, ...more: never[]) => {
	heard(text(chunk));
	return push(chunk, ...more);
};
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (chunk: string | Uint8Array, ...more: never[]) => {
	said(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk));
	return write(chunk, ...more);
};
