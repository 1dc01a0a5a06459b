import { memo } from "react";
import { Link } from "wouter";
import { counted } from "#contract/counted.ts";
import type { AgentId } from "#contract/ids.ts";
import { stateOf } from "#views/agent-text.ts";
import type { AgentTreeRow } from "#views/agent-tree.ts";
import type { TimeAxis } from "#views/time-axis.ts";
import { useLastLine } from "../../store/hooks.ts";
import { paths } from "../../ui/paths.ts";
import { Counters, StateGlyph } from "../../ui/state.tsx";
import { Bars } from "./bars.tsx";
import type { AgentHistory } from "./turn-history.ts";

interface TreeRowProps {
	row: AgentTreeRow;
	index: number;
	axis: TimeAxis;
	history: AgentHistory | undefined;
	isCurrent: boolean;
	isSelected: boolean;
	onCurrent(index: number): void;
	onSelect(agent: AgentId): void;
	onFold(agent: AgentId, isOpen: boolean): void;
}

export const rowId = (agent: AgentId): string => `row-${agent}`;

/** deeper agents are not indented further: their names need the room */
const indentMax = 10;

export const TreeRowView = memo(function TreeRowView(props: TreeRowProps) {
	const { row, index, axis, history, isCurrent, isSelected, onCurrent, onSelect, onFold } = props;
	const { agent, depth, hasChildren, isOpen, hidden, isContext } = row;
	const state = [isCurrent && "tree-current", isSelected && "tree-selected", isContext && "tree-context"];
	return (
		<div
			id={rowId(agent.id)}
			role="row"
			className={["tree-row", ...state].filter(Boolean).join(" ")}
			aria-level={depth + 1}
			aria-rowindex={index + 1}
			aria-selected={isSelected}
			aria-expanded={hasChildren ? isOpen : undefined}
			onClick={() => onCurrent(index)}
		>
			<div role="gridcell" className="tree-name" style={{ paddingLeft: `${Math.min(depth, indentMax) * 14}px` }}>
				<Fold row={row} onFold={onFold} />
				<input
					type="checkbox"
					className="tree-check"
					tabIndex={-1}
					checked={isSelected}
					aria-label={`Compare ${agent.handle}`}
					onChange={() => onSelect(agent.id)}
				/>
				<StateGlyph agent={agent} />
				<Link href={paths.agent(agent.id)} className="clip" tabIndex={-1}>
					{agent.handle}
				</Link>
				{hidden > 0 && <span className="meta">+{hidden}</span>}
				<Counters agent={agent} />
			</div>
			<div role="gridcell" className="axis" aria-label={historyWords(history)}>
				<Bars agent={agent} axis={axis} history={history} />
			</div>
			<div role="gridcell" className="tree-line clip meta">
				<LastWords row={row} />
			</div>
		</div>
	);
});

function Fold({ row: { agent, hasChildren, isOpen }, onFold }: Pick<TreeRowProps, "row" | "onFold">) {
	if (!hasChildren) return <span className="tree-fold" />;
	return (
		<button
			type="button"
			className="tree-fold"
			tabIndex={-1}
			aria-label={isOpen ? `Close ${agent.handle}` : `Open ${agent.handle}`}
			onClick={() => onFold(agent.id, !isOpen)}
		>
			{isOpen ? "▾" : "▸"}
		</button>
	);
}

function LastWords({ row: { agent } }: Pick<TreeRowProps, "row">) {
	return useLastLine(agent.id) ?? stateOf(agent);
}

const historyWords = (history: AgentHistory | undefined): string =>
	history === undefined
		? "no turns"
		: `${counted(history.bars.length, "turn")}, ${counted(history.mails.length, "mail message")}`;
