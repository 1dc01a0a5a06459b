// The rows of the agent tree. One element has the focus and names the current row, so that rows can come and go.
import { type KeyboardEvent, useEffect, useMemo, useRef } from "react";
import { VList, type VListHandle } from "virtua";
import { useLocation } from "wouter";
import type { AgentId } from "#contract/ids.ts";
import type { AgentTreeRow } from "#views/agent-tree.ts";
import type { TimeAxis } from "#views/time-axis.ts";
import { paths } from "../../ui/paths.ts";
import { AxisHead } from "./axis-head.tsx";
import type { Timelines } from "./timelines.ts";
import { changeTreePlace, useTreePlace } from "./tree-place.ts";
import { rowId, TreeRowView } from "./tree-row.tsx";

interface TreeGridProps {
	rows: readonly AgentTreeRow[];
	axis: TimeAxis;
	timelines: Timelines;
	selected: readonly AgentId[];
	onSelect(agent: AgentId): void;
	onToggle(agent: AgentId, isOpen: boolean): void;
}

export function TreeGrid({ rows, axis, timelines, selected, onSelect, onToggle }: TreeGridProps) {
	const { at, setCurrent, isKnown } = useCurrentRow(rows);
	const list = useRef<VListHandle>(null);
	const grid = useRef<HTMLDivElement>(null);
	// whoever comes back goes on where they were, unless they are elsewhere on the page
	// biome-ignore lint/correctness/useExhaustiveDependencies: when the tree is opened
	useEffect(() => {
		if (!isKnown) return;
		list.current?.scrollToIndex(at, { align: "center" });
		if (document.activeElement === document.body) grid.current?.focus();
	}, []);
	const row = rows[at];
	const move = (to: number): void => {
		const next = Math.max(0, Math.min(rows.length - 1, to));
		setCurrent(next);
		list.current?.scrollToIndex(next, { align: "nearest" });
	};
	const press = useTreeKeys({ rows, at, move, onToggle, onSelect });
	return (
		<div className="tree">
			<AxisHead axis={axis} />
			<div
				ref={grid}
				className="tree-grid"
				role="treegrid"
				aria-label="Agents"
				aria-rowcount={rows.length}
				aria-multiselectable="true"
				aria-activedescendant={row === undefined ? undefined : rowId(row.agent.id)}
				tabIndex={0}
				onKeyDown={press}
			>
				<VList
					ref={list}
					className="tree-list"
					data={rows}
					bufferSize={400}
					{...(row !== undefined && { keepMounted: [at] })}
				>
					{(each, index) => (
						<TreeRowView
							key={each.agent.id}
							row={each}
							index={index}
							axis={axis}
							timeline={timelines.get(each.agent.id)}
							isCurrent={index === at}
							isSelected={selected.includes(each.agent.id)}
							onCurrent={setCurrent}
							onSelect={onSelect}
							onToggle={onToggle}
						/>
					)}
				</VList>
			</div>
		</div>
	);
}

/** The current row is that of one agent, wherever rows come and go; without that agent, the row that took its place. */
function useCurrentRow(rows: readonly AgentTreeRow[]) {
	const { current } = useTreePlace();
	const found = useMemo(() => rows.findIndex(({ agent }) => agent.id === current.agent), [rows, current.agent]);
	return {
		at: found === -1 ? Math.min(current.index, rows.length - 1) : found,
		setCurrent: (index: number): void => changeTreePlace({ current: { agent: rows[index]?.agent.id ?? null, index } }),
		isKnown: found !== -1,
	};
}

interface TreeKeys extends Pick<TreeGridProps, "rows" | "onToggle" | "onSelect"> {
	at: number;
	move(to: number): void;
}

function useTreeKeys({ rows, at, move, onToggle, onSelect }: TreeKeys): (event: KeyboardEvent) => void {
	const [, go] = useLocation();
	const row = rows[at];
	const actions: Readonly<Record<string, (row: AgentTreeRow) => void>> = {
		ArrowDown: () => move(at + 1),
		ArrowUp: () => move(at - 1),
		j: () => move(at + 1),
		k: () => move(at - 1),
		PageDown: () => move(at + 20),
		PageUp: () => move(at - 20),
		Home: () => move(0),
		End: () => move(rows.length - 1),
		ArrowRight: ({ isOpen, hasChildren, agent }) => (isOpen ? move(at + 1) : hasChildren && onToggle(agent.id, true)),
		ArrowLeft: ({ isOpen, agent, depth }) =>
			isOpen ? onToggle(agent.id, false) : move(rows.findLastIndex((each, index) => index < at && each.depth < depth)),
		x: ({ agent }) => onSelect(agent.id),
		" ": ({ agent }) => onSelect(agent.id),
		Enter: ({ agent }) => go(paths.agent(agent.id)),
	};
	return (event) => {
		const action = event.metaKey || event.ctrlKey || event.altKey ? undefined : actions[event.key];
		if (action === undefined || row === undefined) return;
		event.preventDefault();
		action(row);
	};
}
