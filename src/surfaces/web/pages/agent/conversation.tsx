// The conversation. Only the rows in view are in the page; it opens at its end and stays there while somebody reads
// there.
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { VList, type VListHandle } from "virtua";
import type { AgentId } from "#contract/ids.ts";
import { propertiesOf, type Refusal } from "#contract/refusal.ts";
import type { Agent } from "#contract/wire.ts";
import { useConversation, useSeen, useStore } from "../../store/hooks.ts";
import { useTries } from "../../store/tries.ts";
import { Empty } from "../../ui/placeholder.tsx";
import { ConversationRowView } from "./conversation-row.tsx";
import { type ConversationRow, conversationRows, rowOfItem, rowOfTurn } from "./conversation-rows.ts";

/** closer to the end than this counts as at the end */
const nearPx = 60;
/** older items are loaded before the reader reaches the first one */
const aheadPx = 1500;

interface ConversationProps {
	agent: Agent;
	/** the one that is selected */
	turn: number | null;
	/** one that was searched for */
	item: number | null;
}

export function Conversation({ agent, turn, item }: ConversationProps) {
	const { conversations } = useStore();
	const seen = useConversation(agent.id);
	const rows = useMemo(() => conversationRows(seen), [seen]);
	const { blocks, hasOlder, refusal } = seen;
	useOlderAgain(agent.id, refusal);
	const canLoad = hasOlder && refusal === null;
	const list = useRef<VListHandle>(null);
	const [isAtEnd, setAtEnd] = useState(item === null);
	const isPrepended = useWasPrepended(rows);
	const look = (): void => {
		const at = list.current;
		if (at === null) return;
		setAtEnd(at.scrollOffset + at.viewportSize >= at.scrollSize - nearPx);
		if (canLoad && at.scrollOffset < aheadPx) void conversations.older(agent.id);
	};
	const toEnd = (): void => list.current?.scrollToIndex(rows.length - 1, { align: "end" });
	// biome-ignore lint/correctness/useExhaustiveDependencies: follows every change of the rows
	useLayoutEffect(() => {
		if (isAtEnd && turn === null) toEnd();
	}, [rows, turn]);
	const older = canLoad ? () => void conversations.older(agent.id) : null;
	const soughtAt = item === null ? -1 : rowOfItem(rows, item);
	const turnAt = turn === null ? -1 : rowOfTurn(rows, turn);
	useScrollTo({ sought: turn, at: turnAt, align: "start" }, { rows, list, older, look });
	useScrollTo({ sought: item, at: soughtAt, align: "center" }, { rows, list, older, look });
	// a conversation shorter than the page never scrolls, so that nothing else would load what is before it
	useEffect(() => {
		if (canLoad && blocks.length < 30) void conversations.older(agent.id);
	}, [conversations, agent.id, canLoad, blocks.length]);
	if (rows.length === 0 && !hasOlder)
		return (
			<div className="conversation">
				<Empty title="No messages yet.">Write a prompt below to start a turn.</Empty>
			</div>
		);
	return (
		<div className="conversation">
			<VList
				ref={list}
				className="conversation-list"
				data={rows}
				shift={isPrepended}
				onScroll={look}
				tabIndex={0}
				aria-label="Items"
				role="group"
			>
				{(row, index) => (
					<ConversationRowView key={row.key} row={row} agent={agent} selected={turn} isSought={index === soughtAt} />
				)}
			</VList>
			{!isAtEnd && (
				<button type="button" className="button to-end" onClick={toEnd}>
					↓ Newest
				</button>
			)}
		</div>
	);
}

/**
 * Reads older items again that could not be read, unless that would be refused again: after a while, and when the
 * daemon is back.
 */
function useOlderAgain(agent: AgentId, refusal: Refusal | null): void {
	const { conversations } = useStore();
	const isLive = useSeen().connection.state === "live";
	const mayHeal = refusal !== null && propertiesOf(refusal.code).retryable;
	const tries = useTries(mayHeal);
	// biome-ignore lint/correctness/useExhaustiveDependencies: not at once, when they could not be read
	useEffect(() => {
		if (isLive && mayHeal) void conversations.older(agent);
	}, [conversations, agent, isLive, tries]);
}

/** Whether rows came or went before the first block since the last time: then nothing may move under the reader. */
function useWasPrepended(rows: readonly ConversationRow[]): boolean {
	const [known, setKnown] = useState<{ rows: readonly ConversationRow[]; isPrepended: boolean }>({
		rows,
		isPrepended: false,
	});
	if (known.rows === rows) return known.isPrepended;
	const [first, next] = [firstId(known.rows), firstId(rows)];
	const isSaid = (known.rows[0]?.row === "unread") !== (rows[0]?.row === "unread");
	const isPrepended = first !== null && next !== null && (next < first || (next === first && isSaid));
	setKnown({ rows, isPrepended });
	return isPrepended;
}

const firstId = (rows: readonly ConversationRow[]): number | null => {
	const first = rows.find((row) => row.row === "block");
	return first?.row === "block" ? first.block.id : null;
};

interface Sought {
	/** the turn or the item; null if none is sought */
	sought: number | null;
	/** its row; -1 if that is not loaded */
	at: number;
	align: "start" | "center";
}

interface ScrollParts {
	rows: readonly ConversationRow[];
	list: RefObject<VListHandle | null>;
	/** loads what is before the first row; null if there is nothing */
	older: (() => void) | null;
	/** sees whether the end is on the screen */
	look(): void;
}

/** Once for whatever is sought, as soon as it is loaded. */
function useScrollTo({ sought, at, align }: Sought, { rows, list, older, look }: ScrollParts): void {
	const shown = useRef<number | null>(null);
	// biome-ignore lint/correctness/useExhaustiveDependencies: when something else is sought, or more rows are there
	useEffect(() => {
		if (sought === null) shown.current = null;
		if (sought === null || shown.current === sought) return;
		if (at === -1) older?.();
		else {
			list.current?.scrollToIndex(at, { align });
			shown.current = sought;
			// a conversation that is shorter than the page does not scroll, and its end is seen once it is measured
			requestAnimationFrame(look);
		}
	}, [sought, rows]);
}
