// The conversation. Only the rows in view are in the page; it opens at its end and stays there while somebody reads there.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { VList, type VListHandle } from "virtua";
import type { Agent } from "#contract/wire.ts";
import { useStore, useThread } from "../../store/hooks.ts";
import { Empty } from "../../ui/placeholder.tsx";
import { ThreadRowView } from "./thread-row.tsx";
import { type ThreadRow, threadRows } from "./thread-rows.ts";

/** closer to the end than this counts as at the end */
const nearPx = 60;
/** older items are loaded before the reader reaches the first one */
const aheadPx = 1500;

export function Thread({ agent, turn }: { agent: Agent; turn: number | null }) {
	const { threads } = useStore();
	const { blocks, messages, hasOlder } = useThread(agent.id);
	const rows = useMemo(() => threadRows(blocks, messages), [blocks, messages]);
	const list = useRef<VListHandle>(null);
	const [isAtEnd, setAtEnd] = useState(true);
	const isPrepended = useWasPrepended(rows);
	const scroll = (): void => {
		const at = list.current;
		if (at === null) return;
		setAtEnd(at.scrollOffset + at.viewportSize >= at.scrollSize - nearPx);
		if (hasOlder && at.scrollOffset < aheadPx) void threads.older(agent.id);
	};
	const toEnd = (): void => list.current?.scrollToIndex(rows.length - 1, { align: "end" });
	// biome-ignore lint/correctness/useExhaustiveDependencies: follows every change of the rows
	useLayoutEffect(() => {
		if (isAtEnd && turn === null) toEnd();
	}, [rows, turn]);
	useScrollToTurn(rows, turn, list.current);
	// a conversation shorter than the page never scrolls, so that nothing else would load what is before it
	useEffect(() => {
		if (hasOlder && blocks.length < 30) void threads.older(agent.id);
	}, [threads, agent.id, hasOlder, blocks.length]);
	if (rows.length === 0 && !hasOlder)
		return (
			<div className="thread">
				<Empty title="No messages yet.">Write a prompt below to start a turn.</Empty>
			</div>
		);
	return (
		<div className="thread">
			<VList
				ref={list}
				className="thread-list"
				data={rows}
				shift={isPrepended}
				onScroll={scroll}
				tabIndex={0}
				aria-label="Items"
				role="group"
			>
				{(row) => <ThreadRowView key={row.key} row={row} agent={agent} />}
			</VList>
			{!isAtEnd && (
				<button type="button" className="button to-end" onClick={toEnd}>
					↓ Newest
				</button>
			)}
		</div>
	);
}

/** Whether rows were put before the first one since the last time: then nothing may move under the reader. */
function useWasPrepended(rows: readonly ThreadRow[]): boolean {
	const [known, setKnown] = useState<{ rows: readonly ThreadRow[]; isPrepended: boolean }>({
		rows,
		isPrepended: false,
	});
	if (known.rows === rows) return known.isPrepended;
	const first = firstId(known.rows);
	const isPrepended = first !== null && (firstId(rows) ?? first) < first;
	setKnown({ rows, isPrepended });
	return isPrepended;
}

const firstId = (rows: readonly ThreadRow[]): number | null => {
	const first = rows.find((row) => row.row === "block");
	return first?.row === "block" ? first.block.id : null;
};

function useScrollToTurn(rows: readonly ThreadRow[], turn: number | null, list: VListHandle | null): void {
	// biome-ignore lint/correctness/useExhaustiveDependencies: only when another turn is selected
	useEffect(() => {
		if (turn === null) return;
		const at = rows.findIndex((row) => row.row === "turn" && row.turn === turn);
		if (at !== -1) list?.scrollToIndex(at, { align: "start" });
	}, [turn, list]);
}
