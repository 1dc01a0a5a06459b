import { memo, useEffect } from "react";
import { Link } from "wouter";
import { counted } from "#contract/counted.ts";
import type { AgentId } from "#contract/ids.ts";
import { type AgentTreeRow, isHeldUp } from "#views/agent-tree.ts";
import type { TimeAxis } from "#views/time-axis.ts";
import { useLastLine, useStore } from "../../store/hooks.ts";
import { paths } from "../../ui/paths.ts";
import { Counters, StateGlyph, stateText } from "../../ui/state.tsx";
import { Bars } from "./bars.tsx";
import type { AgentTimeline } from "./timelines.ts";

interface TreeRowProps {
	row: AgentTreeRow;
	index: number;
	axis: TimeAxis;
	timeline: AgentTimeline | undefined;
	isCurrent: boolean;
	isSelected: boolean;
	onCurrent(index: number): void;
	onSelect(agent: AgentId): void;
	onToggle(agent: AgentId, isOpen: boolean): void;
}

export const rowId = (agent: AgentId): string => `row-${agent}`;

/** deeper agents are not indented further: their names need the room */
const indentMax = 10;

export const TreeRowView = memo(function TreeRowView(props: TreeRowProps) {
	const { row, index, axis, timeline, isCurrent, isSelected, onCurrent, onSelect, onToggle } = props;
	const { agent, depth, hasChildren, isOpen, collapsed, isOnlyAbove } = row;
	const state = [isCurrent && "tree-current", isSelected && "tree-selected", isOnlyAbove && "tree-ancestor"];
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
				<Toggle row={row} onToggle={onToggle} />
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
				{collapsed > 0 && <span className="meta">+{collapsed}</span>}
				<Counters agent={agent} />
			</div>
			<div role="gridcell" className="axis" aria-label={timelineText(timeline)}>
				<Bars agent={agent} axis={axis} timeline={timeline} />
			</div>
			<div role="gridcell" className="tree-line clip meta">
				<LastWords row={row} />
			</div>
		</div>
	);
});

function Toggle({ row: { agent, hasChildren, isOpen }, onToggle }: Pick<TreeRowProps, "row" | "onToggle">) {
	if (!hasChildren) return <span className="tree-toggle" />;
	return (
		<button
			type="button"
			className="tree-toggle"
			tabIndex={-1}
			aria-label={isOpen ? `Collapse ${agent.handle}` : `Expand ${agent.handle}`}
			onClick={() => onToggle(agent.id, !isOpen)}
		>
			{isOpen ? "▾" : "▸"}
		</button>
	);
}

/** a row that is scrolled past is not read */
const restMs = 200;

/** Why it does not work, or what it said last, or its state. */
function LastWords({ row: { agent } }: Pick<TreeRowProps, "row">) {
	const { conversations } = useStore();
	const { id } = agent;
	// an agent with a turn is followed
	const since = agent.turn === null ? agent.lastActiveAt : null;
	useEffect(() => {
		if (since === null) return;
		const timer = setTimeout(() => void conversations.readLine(id, { again: true }), restMs);
		return () => clearTimeout(timer);
	}, [conversations, id, since]);
	const line = useLastLine(id);
	return isHeldUp(agent) ? stateText(agent) : (line ?? stateText(agent));
}

const timelineText = (timeline: AgentTimeline | undefined): string =>
	timeline === undefined
		? "no turns"
		: `${counted(timeline.bars.length, "turn")}, ${counted(timeline.mails.length, "mail")}`;
