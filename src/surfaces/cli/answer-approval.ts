// Answers an agent's question in the terminal that follows it. The whole question is shown before anybody can allow it.
import { createInterface } from "node:readline/promises";
import { type Client, Refused } from "#client/client.ts";
import { dataOf } from "#contract/event-data.ts";
import { expected } from "#contract/log.ts";
import { indented, inline, visible } from "#contract/visible.ts";
import type { Approval } from "#contract/wire.ts";
import { alwaysText, prefixProblem, takesPrefix } from "#views/approval-text.ts";
import { act, type Options } from "./act.ts";
import { AgentNames } from "./agent-names.ts";
import { confirm } from "./confirm.ts";
import { reconnect } from "./connect.ts";
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
				// the daemon refuses a prefix that does not fit
				const question = prefixProblem(asked, body.prefix) === null ? prefixText(asked, body.prefix) : "";
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
function prefixText({ handles, command }: Approval, prefix: string): string {
	const words = prefix.trim().replace(/\s\*$/, "");
	return [
		`With this prefix ${handles.at(-1) ?? ""} runs these without asking${command?.folder == null ? "" : ` in ${inline(command.folder)}`}:`,
		`  ${inline(words)}`,
		`  ${inline(words)} *`,
		"That is: these words, with any further arguments. Commands with ; && || | & > < $ ` ( ) * or a line break are asked about.",
	].join("\n");
}

interface AnswerOptions {
	interactive: boolean;
	say: ((text: string) => void) | null;
	/** where the question is asked */
	terminal?: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream };
}

export async function answerApproval(
	client: Pick<Client, "call" | "follow">,
	id: number,
	{ interactive, say, terminal = { input: process.stdin, output: process.stderr } }: AnswerOptions,
): Promise<void> {
	const look = async (): Promise<Approval> => await client.call("approval", { params: { approval: String(id) } });
	const approval = await look();
	if (approval.state !== "pending") return;
	if (!interactive) {
		say?.(approvalLines(approval));
		return;
	}
	const print = (text: string): void => void terminal.output.write(visible(`${text}\n`));
	const [question] = approvalLines(approval).split(/\nasked \S+ ago/, 1);
	print(question ?? "");
	const [stop, settled] = [new AbortController(), new AbortController()];
	void untilSettled(client, approval, stop.signal)
		.then(() => settled.abort())
		.catch(expected("the terminal still takes the answer"));
	try {
		for (;;) {
			const answer = await ask(approval, { ...terminal, signal: settled.signal, print });
			const now = await look();
			if (now.state !== "pending") {
				await new AgentNames(client).putInto(now);
				return print(elsewhere(now));
			}
			if (answer === null) return;
			try {
				await client.call("approvalAnswer", { params: { approval: String(id) }, body: answer });
				return;
			} catch (error) {
				// a prefix that cannot be taken
				if (!(error instanceof Refused) || error.refusal.code !== "VALIDATION_ERROR") throw error;
				print(error.refusal.message);
			}
		}
	} finally {
		stop.abort();
	}
}

/** Resolves when the approval is answered, or cancelled because its turn has ended. */
async function untilSettled(
	client: Pick<Client, "follow">,
	{ id, agent }: Approval,
	signal: AbortSignal,
): Promise<void> {
	for await (const message of client.follow({ agent, after: id }, signal, reconnect)) {
		if (!("event" in message)) continue;
		const answered = dataOf(message.event, "approval.answered")?.approval;
		const cancelled = dataOf(message.event, "approval.cancelled")?.approvals;
		if (answered === id || cancelled?.includes(id) === true) return;
	}
	throw new Error("the event stream ended");
}

const elsewhere = ({ state, answeredBy, reason }: Approval): string =>
	state === "cancelled"
		? "cancelled: its turn is over, or it asks for something else now"
		: `answered elsewhere: ${state}${answeredBy === null ? "" : ` by ${answeredBy}`}${reason === null ? "" : `: ${inline(reason)}`}`;

const helpFor = (approval: Approval): string =>
	[
		"  y        allow this once",
		`  a        allow this now, and from now on ${alwaysText(approval)}`,
		...(takesPrefix(approval) ? ["  p WORDS  allow every command that begins with WORDS, such as: p npm test"] : []),
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

interface Asking {
	input: NodeJS.ReadableStream;
	output: NodeJS.WritableStream;
	/** ends the question without an answer */
	signal: AbortSignal;
	print: (text: string) => void;
}

/** Null once the terminal is closed; the question stays open and can be answered later. */
async function ask(approval: Approval, { input, output, signal, print }: Asking): Promise<Answer | null> {
	const lines = createInterface({ input, output });
	const closed = new AbortController();
	lines.once("close", () => closed.abort());
	const over = { signal: AbortSignal.any([closed.signal, signal]) };
	// Ctrl+C detaches here too, as everywhere in the command
	lines.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
	const prefix = takesPrefix(approval) ? "[p]refix WORDS " : "";
	try {
		for (;;) {
			const said = await lines.question(`Allow? [y]es [a]lways ${prefix}[n]o [?] `, over);
			const [, word = "", reason = ""] = /^\s*(\S*)\s*(.*)$/s.exec(said) ?? [];
			if (/^y(es)?$/i.test(word)) return { allow: true, always: false, reason };
			if (/^a(lways)?$/i.test(word)) return { allow: true, always: true, reason };
			if (/^p(refix)?$/i.test(word) && reason !== "") {
				const problem = prefixProblem(approval, reason);
				print(problem ?? prefixText(approval, reason));
				if (problem !== null) continue;
				const sure = await lines.question("Allow all of these? [y/N] ", over);
				if (/^y(es)?$/i.test(sure.trim())) return { allow: true, always: true, prefix: reason, reason: "" };
				continue;
			}
			if (/^no?$/i.test(word)) return { allow: false, always: false, reason };
			print(helpFor(approval));
		}
	} catch {
		return null;
	} finally {
		lines.close();
	}
}
