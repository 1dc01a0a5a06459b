import type { TimeAxis } from "#views/time-axis.ts";
import { clockOf } from "../../ui/age.tsx";

export function AxisHead({ axis }: { axis: TimeAxis }) {
	return (
		<div className="tree-head" aria-hidden="true">
			<span className="tree-name meta">agent</span>
			<div className="axis">
				{axis.ticks.map(({ at, time }) => (
					<span key={time} className="axis-tick meta" style={{ left: `${at * 100}%` }}>
						{tickOf(time)}
					</span>
				))}
				{axis.gaps.map(({ at, ms }) => (
					<span key={at} className="axis-gap meta" style={{ left: `clamp(16px, ${at * 100}%, calc(100% - 16px))` }}>
						╌{lengthOf(ms)}╌
					</span>
				))}
			</div>
			<span className="tree-line meta">last message</span>
		</div>
	);
}

const tickOf = (time: number): string => clockOf(new Date(time).toISOString());

function lengthOf(ms: number): string {
	const minutes = Math.round(ms / 60_000);
	return minutes < 60
		? `${minutes}m`
		: minutes < 2880
			? `${Math.round(minutes / 60)}h`
			: `${Math.round(minutes / 1440)}d`;
}
