// The rows of a conversation on screen: blocks, where an inherited part begins and ends, and what is being written.
import type { AgentId } from "#contract/ids.ts";
import type { Delta } from "#contract/stream.ts";
import type { Block } from "#views/conversation.ts";

export type ConversationRow =
	| { row: "block"; key: string; block: Block }
	/** the following part is of this ancestor, or with null its own */
	| { row: "origin"; key: string; of: AgentId | null }
	| { row: "turn"; key: string; turn: number; at: string }
	| { row: "live"; key: string; message: Delta };

export function conversationRows(blocks: readonly Block[], messages: readonly Delta[]): ConversationRow[] {
	const rows: ConversationRow[] = [];
	let origin: AgentId | null = null;
	let turn: number | null = null;
	for (const block of blocks) {
		const of = block.isInherited ? block.agent : null;
		if (of !== origin) rows.push({ row: "origin", key: `o${block.id}`, of });
		if (block.turn !== null && block.turn !== turn)
			rows.push({ row: "turn", key: `t${block.turn}`, turn: block.turn, at: block.at });
		[origin, turn] = [of, block.turn ?? turn];
		rows.push({ row: "block", key: `b${block.id}`, block });
	}
	for (const message of messages) rows.push({ row: "live", key: `l${message.message}`, message });
	return rows;
}
