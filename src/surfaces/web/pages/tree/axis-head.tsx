import { axisLabels, type TimeAxis } from "#views/time-axis.ts";
import { clockOf } from "../../ui/age.tsx";

export function AxisHead({ axis }: { axis: TimeAxis }) {
	const { ticks, gaps } = axisLabels(axis);
	return (
		<div className="tree-head" aria-hidden="true">
			<span className="tree-name meta">agent</span>
			<div className="axis">
				{ticks.map(({ at, time }) => (
					<span key={time} className="axis-tick meta" style={{ left: leftOf(at) }}>
						{tickOf(time)}
					</span>
				))}
				{gaps.map(({ at, ms }) => (
					<span key={at} className="axis-gap meta" style={{ left: leftOf(at) }}>
						╌{lengthOf(ms)}╌
					</span>
				))}
			</div>
			<span className="tree-line meta">last message</span>
		</div>
	);
}

/** A label is centred on its time, and whole at the edges too. */
const leftOf = (at: number): string => `clamp(22px, ${at * 100}%, calc(100% - 22px))`;

const tickOf = (time: number): string => clockOf(new Date(time).toISOString());

function lengthOf(ms: number): string {
	const minutes = Math.round(ms / 60_000);
	return minutes < 60
		? `${minutes}m`
		: minutes < 2880
			? `${Math.round(minutes / 60)}h`
			: `${Math.round(minutes / 1440)}d`;
}
