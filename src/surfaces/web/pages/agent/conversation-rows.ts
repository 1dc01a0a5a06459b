// The rows of a conversation on screen: blocks, where an inherited part begins and ends, and what is being written.
import type { AgentId } from "#contract/ids.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { Delta } from "#contract/stream.ts";
import { isOutput, keyOf } from "#contract/unfinished.ts";
import { type Block, runningOutput } from "#views/conversation.ts";
import type { ConversationSeen } from "../../store/conversations.ts";

export type ConversationRow = {
	key: string;
	/** null before the first one */
	turn: number | null;
} & (
	| {
			row: "block";
			block: Block;
			/** the end of what a running call has printed */
			output: string | null;
	  }
	/** the following part is of this ancestor, or with null its own */
	| { row: "origin"; of: AgentId | null }
	/** `of` as above: whose turn it is */
	| { row: "turn"; turn: number; at: string; of: AgentId | null }
	| { row: "live"; message: Delta }
	/** why the items before the first one could not be read */
	| { row: "unread"; refusal: Refusal }
);

/** How a row relates to the turn that is selected; null while none is, and for what was before it. */
export function whenOf({ turn }: ConversationRow, selected: number | null): "selected" | "later" | null {
	if (selected === null || turn === null || turn < selected) return null;
	return turn === selected ? "selected" : "later";
}

/** Where a turn begins; -1 if it is not there. */
export const rowOfTurn = (rows: readonly ConversationRow[], turn: number): number =>
	rows.findIndex((row) => row.row === "turn" && row.turn === turn);

/** The block that an item is in; of one that is not shown, the block before it. */
export function rowOfItem(rows: readonly ConversationRow[], item: number): number {
	const at = rows.findLastIndex((row) => row.row === "block" && (row.block.id === item || row.block.lastItem === item));
	return at !== -1 ? at : rows.findLastIndex((row) => row.row === "block" && row.block.id <= item);
}

export function conversationRows({
	blocks,
	messages,
	refusal,
}: Pick<ConversationSeen, "blocks" | "messages" | "refusal">): ConversationRow[] {
	const rows: ConversationRow[] = refusal === null ? [] : [{ row: "unread", key: "unread", turn: null, refusal }];
	let origin: AgentId | null = null;
	let turn: number | null = null;
	for (const block of blocks) {
		const of = block.isInherited ? block.agent : null;
		if (of !== origin) rows.push({ row: "origin", key: `o${block.id}`, turn: block.turn ?? turn, of });
		if (block.turn !== null && block.turn !== turn)
			rows.push({ row: "turn", key: `t${block.turn}`, turn: block.turn, at: block.at, of });
		[origin, turn] = [of, block.turn ?? turn];
		rows.push({ row: "block", key: `b${block.id}`, turn, block, output: runningOutput(block, messages) });
	}
	for (const message of messages)
		if (!isOutput(message)) rows.push({ row: "live", key: `l${keyOf(message)}`, turn: message.turn, message });
	return rows;
}
