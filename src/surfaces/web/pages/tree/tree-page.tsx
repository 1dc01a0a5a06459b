// The agent tree: the tree on the left, time on the right.
import { useDeferredValue, useMemo, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { counted } from "#contract/counted.ts";
import type { AgentId } from "#contract/ids.ts";
import { agentRows, type TreeFilter, treeFilters } from "#views/agent-tree.ts";
import { agentsThatNeedYou } from "#views/overviews.ts";
import { timeAxis } from "#views/time-axis.ts";
import { useNow, useSeen } from "../../store/hooks.ts";
import { useLastLines } from "../../store/lines.ts";
import { paths } from "../../ui/paths.ts";
import { Empty, Loading } from "../../ui/placeholder.tsx";
import { Compare } from "./compare.tsx";
import { useTimelines, withOpenTurns } from "./timelines.ts";
import { TreeGrid } from "./tree-grid.tsx";
import { changeTreePlace, useTreePlace } from "./tree-place.ts";

const spans = [
	{ name: "15 min", ms: 15 * 60_000 },
	{ name: "1 hour", ms: 60 * 60_000 },
	{ name: "6 hours", ms: 6 * 60 * 60_000 },
	{ name: "1 day", ms: 24 * 60 * 60_000 },
	{ name: "7 days", ms: 7 * 24 * 60 * 60_000 },
	{ name: "30 days", ms: 30 * 24 * 60 * 60_000 },
] as const;

export function TreePage() {
	// the daemon's time, with which the axis begins, is known only then
	return useSeen().isLoaded ? <Agents /> : <Loading what="the agents" rows={12} isPage />;
}

function Agents() {
	const seen = useSeen();
	const { filter, text, zoom, set } = useTreeQuery();
	const { opened, selected } = useTreePlace();
	const setSelected = (next: readonly AgentId[]): void => changeTreePlace({ selected: next });
	const found = useDeferredValue(text);
	const { tree, inbox } = seen;
	const rows = useMemo(
		() => agentRows(tree, { filter, needing: agentsThatNeedYou(inbox), text: found, opened }),
		[tree, inbox, filter, found, opened],
	);
	const { axis, timelines, isFailed } = useAxis(zoom);
	useLastLines(seen.agents.filter(({ turn }) => turn !== null).map(({ id }) => id));
	const select = (agent: AgentId): void =>
		setSelected(selected.includes(agent) ? selected.filter((id) => id !== agent) : [...selected, agent].slice(-2));
	const toggle = (agent: AgentId, isOpen: boolean): void =>
		changeTreePlace({ opened: new Map(opened).set(agent, isOpen) });
	return (
		<div className="tree-page">
			<header className="page-header">
				<h1>Agents</h1>
				<Counts />
				<span className="spread" />
				<input
					className="input"
					type="search"
					placeholder="Find an agent"
					aria-label="Find an agent"
					value={text}
					onChange={(event) => set("text", event.target.value)}
				/>
				<Choice<TreeFilter>
					label="Show"
					value={filter}
					options={treeFilters}
					onChoose={(chosen) => set("show", chosen)}
				/>
				<Choice<string>
					label="Time"
					value={spans[zoom]?.name ?? ""}
					options={spans.map(({ name }) => name)}
					onChoose={(name) => set("time", name)}
				/>
				<Link className="button button-primary" href={paths.agentAdd()}>
					Add an agent
				</Link>
			</header>
			{isFailed && (
				<p className="panel-note tone-bad" role="status">
					The turns could not be read.
				</p>
			)}
			{rows.length === 0 ? (
				<Empty title="No agent matches.">{filter === "needs you" ? "Nothing needs you." : "Try another word."}</Empty>
			) : (
				<TreeGrid
					rows={rows}
					axis={axis}
					timelines={timelines}
					selected={selected}
					onSelect={select}
					onToggle={toggle}
				/>
			)}
			<Compare selected={selected} onClear={() => setSelected([])} />
		</div>
	);
}

/** What is shown is in the address: it is the same again after Back. */
function useTreeQuery() {
	const [query, setQuery] = useSearchParams();
	const defaults = { show: "all", text: "", time: spans[2].name };
	const read = (name: keyof typeof defaults): string => query.get(name) ?? defaults[name];
	const zoom = spans.findIndex(({ name }) => name === read("time"));
	return {
		filter: treeFilters.find((each) => each === read("show")) ?? "all",
		text: read("text"),
		zoom: zoom === -1 ? 2 : zoom,
		set: (name: keyof typeof defaults, value: string): void =>
			setQuery(
				(before) => {
					const next = new URLSearchParams(before);
					if (value === defaults[name]) next.delete(name);
					else next.set(name, value);
					return next;
				},
				{ replace: true },
			),
	};
}

function useAxis(zoom: number) {
	const { agents } = useSeen();
	const now = useNow(1000);
	const span = spans[zoom]?.ms ?? spans[0].ms;
	// from when the page was opened, so that the journal is read again only when the zoom changes
	const [opened] = useState(now);
	const since = new Date(opened - span).toISOString();
	const { timelines: read, isFailed } = useTimelines(since);
	const timelines = useMemo(() => withOpenTurns(read, agents), [read, agents]);
	const to = Math.floor(now / 1000) * 1000;
	const axis = useMemo(() => {
		const busy = [...timelines.values()].flatMap(({ bars, mails }) => [
			...bars.map((bar) => ({ from: bar.from, to: bar.to ?? to })),
			...mails.map((at) => ({ from: at, to: at })),
		]);
		const births = agents.map(({ createdAt }) => ({ from: Date.parse(createdAt), to: Date.parse(createdAt) }));
		return timeAxis([...busy, ...births], { from: to - span, to });
	}, [timelines, agents, to, span]);
	return { axis, timelines, isFailed };
}

function Counts() {
	const { agents, inbox } = useSeen();
	const running = agents.filter(({ turn }) => turn !== null).length;
	const waiting = agentsThatNeedYou(inbox).size;
	return (
		<span className="meta">
			{counted(agents.length, "agent")} · {running} running · {waiting} {waiting === 1 ? "needs" : "need"} you
		</span>
	);
}

interface ChoiceProps<T extends string> {
	label: string;
	value: T;
	options: readonly T[];
	onChoose(value: T): void;
}

function Choice<T extends string>({ label, value, options, onChoose }: ChoiceProps<T>) {
	return (
		<select
			className="select"
			aria-label={label}
			value={value}
			onChange={(event) => {
				const chosen = options.find((option) => option === event.target.value);
				if (chosen !== undefined) onChoose(chosen);
			}}
		>
			{options.map((option) => (
				<option key={option}>{option}</option>
			))}
		</select>
	);
}
