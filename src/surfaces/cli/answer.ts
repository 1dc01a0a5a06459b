// What an agent asks, answered where it is followed. It is shown whole before anybody can say yes.
import { createInterface } from "node:readline/promises";
import type { Client } from "#client/client.ts";
import { printToStderr } from "./print.ts";
import { approvalLines } from "./print-approvals.ts";

interface Answering {
	interactive: boolean;
	say: ((text: string) => void) | null;
}

export async function answerApproval(client: Client, id: number, { interactive, say }: Answering): Promise<void> {
	const approval = await client.call("approval", { params: { approval: String(id) } });
	if (approval.state !== "pending") return;
	if (!interactive) {
		say?.(`It asks for approval.\n${approvalLines(approval)}`);
		return;
	}
	const [question] = approvalLines(approval).split("\n  try: ", 1);
	printToStderr(question ?? "");
	const answer = await ask();
	// somebody else may have answered, or the turn ended, while the question stood there
	const now = await client.call("approval", { params: { approval: String(id) } });
	if (answer === null || now.state !== "pending") return;
	await client.call("approvalAnswer", { params: { approval: String(id) }, body: answer });
}

interface Answer {
	allow: boolean;
	always: boolean;
	reason: string;
}

/** Null once the terminal is closed: then it stays open, for whoever answers it later. */
async function ask(): Promise<Answer | null> {
	const lines = createInterface({ input: process.stdin, output: process.stderr });
	const closed = new AbortController();
	lines.once("close", () => closed.abort());
	// Ctrl+C means the same here as everywhere else in the command
	lines.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
	try {
		for (;;) {
			const said = await lines.question("[y] allow  [a] always  [n] deny  [n why] deny with a reason: ", {
				signal: closed.signal,
			});
			const [, word = "", reason = ""] = /^\s*(\S*)\s*(.*)$/s.exec(said) ?? [];
			if (/^y(es)?$/i.test(word)) return { allow: true, always: false, reason };
			if (/^a(lways)?$/i.test(word)) return { allow: true, always: true, reason };
			if (/^no?$/i.test(word)) return { allow: false, always: false, reason };
		}
	} catch {
		return null;
	} finally {
		lines.close();
	}
}
