// Answers an agent's question in the terminal that follows it. The whole question is shown before anybody can allow it.
import { createInterface } from "node:readline/promises";
import { type Client, Refused } from "#client/client.ts";
import { indented, inline } from "#contract/visible.ts";
import type { Approval } from "#contract/wire.ts";
import { act, type Options } from "./act.ts";
import { confirm } from "./confirm.ts";
import { printToStderr, UsageError } from "./print.ts";
import { approvalLines } from "./print-approvals.ts";

interface Allowing {
	allow: boolean;
	always: boolean;
	prefix: string | undefined;
	reason: string;
}

/** `brood approval allow`. A prefix is shown in full and, on a terminal, has to be confirmed. */
export async function allow(id: string, body: Allowing, options: Options): Promise<void> {
	await act(
		options,
		async ({ client, key }) => {
			if (body.prefix !== undefined) {
				if (!body.always) throw new UsageError("--prefix belongs to --always.");
				const asked = await client.call("approval", { params: { approval: id } });
				// the daemon refuses what is not a command
				const question = asked.command === undefined ? "" : prefixText(asked, body.prefix);
				if (options.json !== true && question !== "") printToStderr(question);
				if (options.json !== true && question !== "" && (await confirm("Allow all of these?")) === false)
					throw new UsageError("Nothing was allowed.");
			}
			return await client.call("approvalAnswer", { key, params: { approval: id }, body });
		},
		(answered) => `${answered.state}: ${indented(answered.title, "  | ")}`,
	);
}

/** What a prefix allows, before it is taken. */
function prefixText({ path, command }: Approval, prefix: string): string {
	const words = prefix.trim().replace(/\s\*$/, "");
	return [
		`With this prefix ${path.at(-1) ?? ""} runs these without asking${command?.folder == null ? "" : ` in ${inline(command.folder)}`}:`,
		`  ${inline(words)}`,
		`  ${inline(words)} *`,
		"That is: these words, with any further arguments. Commands with ; && || | & > < $ ` ( ) * or a line break are asked about.",
	].join("\n");
}

interface AnswerOptions {
	interactive: boolean;
	say: ((text: string) => void) | null;
}

export async function answerApproval(client: Client, id: number, { interactive, say }: AnswerOptions): Promise<void> {
	const approval = await client.call("approval", { params: { approval: String(id) } });
	if (approval.state !== "pending") return;
	if (!interactive) {
		say?.(approvalLines(approval));
		return;
	}
	const [question] = approvalLines(approval).split(/\nasked \S+ ago/, 1);
	printToStderr(question ?? "");
	for (;;) {
		const answer = await ask(approval);
		// it may have been answered elsewhere, or its turn may have ended, meanwhile
		const now = await client.call("approval", { params: { approval: String(id) } });
		if (answer === null || now.state !== "pending") return;
		try {
			await client.call("approvalAnswer", { params: { approval: String(id) }, body: answer });
			return;
		} catch (error) {
			// a prefix that cannot be taken
			if (!(error instanceof Refused) || error.refusal.code !== "VALIDATION_ERROR") throw error;
			printToStderr(error.refusal.message);
		}
	}
}

const helpFor = ({ command }: Approval): string =>
	[
		"  y        allow this once",
		"  a        allow this now, and exactly the same from now on",
		...(command === undefined ? [] : ["  p WORDS  allow every command that begins with WORDS, such as: p npm test"]),
		"  n        deny it; the agent is told",
		"  n WHY    deny it, and tell the agent why",
		"  Ctrl+C   leave; the question stays open (brood approval list)",
	].join("\n");

interface Answer {
	allow: boolean;
	always: boolean;
	prefix?: string;
	reason: string;
}

/** Null once the terminal is closed; the question stays open and can be answered later. */
async function ask(approval: Approval): Promise<Answer | null> {
	const lines = createInterface({ input: process.stdin, output: process.stderr });
	const closed = new AbortController();
	lines.once("close", () => closed.abort());
	// Ctrl+C detaches here too, as everywhere in the command
	lines.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
	try {
		for (;;) {
			const isCommand = approval.command !== undefined;
			const said = await lines.question(`Allow? [y]es [a]lways ${isCommand ? "[p]refix WORDS " : ""}[n]o [?] `, {
				signal: closed.signal,
			});
			const [, word = "", reason = ""] = /^\s*(\S*)\s*(.*)$/s.exec(said) ?? [];
			if (/^y(es)?$/i.test(word)) return { allow: true, always: false, reason };
			if (/^a(lways)?$/i.test(word)) return { allow: true, always: true, reason };
			if (/^p(refix)?$/i.test(word) && reason !== "" && approval.command !== undefined) {
				printToStderr(prefixText(approval, reason));
				const sure = await lines.question("Allow all of these? [y/N] ", { signal: closed.signal });
				if (/^y(es)?$/i.test(sure.trim())) return { allow: true, always: true, prefix: reason, reason: "" };
				continue;
			}
			if (/^no?$/i.test(word)) return { allow: false, always: false, reason };
			printToStderr(helpFor(approval));
		}
	} catch {
		return null;
	} finally {
		lines.close();
	}
}
