// Prints prompts, turns, items and mail.

import { fullName } from "#contract/full-name.ts";
import { looseData } from "#contract/loose-data.ts";
import { indented, inline, oneLine } from "#contract/visible.ts";
import type { Found, Item, Mail, Prompt, Turn } from "#contract/wire.ts";
import { shownAuthorOf, toolText } from "#views/conversation.ts";
import { usageLine } from "#views/usage-lines.ts";
import { age, table } from "./print.ts";

export function promptTable(prompts: readonly Prompt[]): string {
	const when = ({ notBefore, manual, priority, editedBy }: Prompt): string =>
		[
			manual && "now",
			priority !== 0 && `priority ${priority}`,
			notBefore !== null && `not before ${notBefore}`,
			editedBy !== null && `edited by ${editedBy}`,
		]
			.filter((word) => typeof word === "string")
			.join(", ");
	const rows = prompts.map((prompt) => [
		String(prompt.position),
		String(prompt.id),
		prompt.from ?? prompt.createdBy,
		when(prompt),
		oneLine(prompt.text),
	]);
	return table(["#", "ID", "BY", "WHEN", "TEXT"], rows) || "nothing waits";
}

export function turnTable(turns: readonly Turn[]): string {
	const how = ({ state, reason, retriedAs }: Turn): string =>
		`${state}${reason === null || reason === state ? "" : ` (${oneLine(reason)})`}${retriedAs === null ? "" : `, run again by prompt ${retriedAs}`}`;
	const rows = turns.map((turn) => [String(turn.id), String(turn.prompt), turn.source, turn.startedAt, how(turn)]);
	return table(["TURN", "PROMPT", "SOURCE", "STARTED", "STATE"], rows) || "no turns yet";
}

export function mailTable(mails: readonly Mail[]): string {
	const rows = mails.map(({ id, from, state, body }) => [String(id), from, state, oneLine(body)]);
	return table(["ID", "FROM", "STATE", "BODY"], rows) || "no mail";
}

/** Whole mails. Each line begins with a bar, so that no text can pass for the next mail. */
export const mailLines = (mails: readonly Mail[]): string =>
	mails
		.map(
			({ id, from, sentAt, body }) =>
				`mail ${id} from ${from}, ${age(sentAt)} ago\n  | ${indented(body.trimEnd(), "  | ")}`,
		)
		.join("\n") || "no mail";

export function foundLines({ found, complete }: { found: readonly Found[]; complete: boolean }): string {
	const rows = found.map(({ id, project, handle, kind, at, snippet }) => [
		String(id),
		fullName({ handle, project }),
		kind,
		age(at),
		oneLine(snippet),
	]);
	const lines = table(["ITEM", "AGENT", "KIND", "AGE", "TEXT"], rows) || "nothing was found";
	return complete ? lines : `${lines}\nSome of the journal is not indexed yet: ask again in a while.`;
}

/** Items of the journal, of which tests and searches have no actor. */
export type ShownItem = Pick<Item, "id" | "kind" | "text" | "data"> & { actor?: string };

export function itemLine(item: ShownItem): string {
	const { id, kind, text, data } = item;
	const words = kind === "tool_call" ? toolText({ text, data }) : authored(item, text ?? itemText(kind, data));
	const shown = words.includes("\n") ? indented(words.trimEnd(), " ".repeat(21)) : oneLine(words);
	return `${String(id).padStart(6)}  ${kind.padEnd(11)}  ${shown}`;
}

/** `(from opus-1) …`: words that are not the user's, though they are in a prompt. */
export function authored(item: ShownItem, words: string): string {
	const author = shownAuthorOf(item);
	return author === null ? words : `(from ${inline(author)}) ${words}`;
}

function itemText(kind: string, data: unknown): string {
	if (kind === "final") {
		const { commit, state } = looseData(data);
		return typeof commit === "string" ? `${String(state)}, commit ${commit.slice(0, 10)}` : String(state);
	}
	if (kind === "usage") return usageLine(Object(data)) || "no figures";
	return data === null ? "" : JSON.stringify(data);
}

/** One turn with its total usage and its items. */
export function turnLines({ turn, items }: { turn: Turn; items: readonly Item[] }): string {
	const used = turn.usage === null ? [] : [`used: ${usageLine(turn.usage)}`];
	const commit = turn.commit === null ? [] : [`commit: ${turn.commit}`];
	return [turnTable([turn]), ...used, ...commit, ...items.map(itemLine)].join("\n");
}
