// The journal: full-text search over conversations, and the events of all agents with filters.
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { AgentId } from "#contract/ids.ts";
import type { Found, WireEvent } from "#contract/wire.ts";
import { withNodeNames } from "#views/event-nodes.ts";
import { journalFilters } from "#views/journal-filters.ts";
import { useRead, useSeen } from "../../store/hooks.ts";
import { Age, momentOf } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { CodeBox } from "../../ui/code-box.tsx";
import { summaryOf } from "../../ui/event-text.ts";
import { paths } from "../../ui/paths.ts";
import { Empty, Loading, RefusedPlaceholder } from "../../ui/placeholder.tsx";

/** so many events are shown on a page */
const shownMax = 200;
/** with a filter, a page looks through more of the journal */
const filteredMax = 10_000;
/** a search answers no more */
const foundMax = 1000;

export function JournalPage() {
	// which events are the newest is known only then
	return useSeen().isLoaded ? <Journal /> : <Loading what="the journal" rows={12} isPage />;
}

function Journal() {
	const [query, setQuery] = useSearchParams();
	const [text, setText] = useState(query.get("text") ?? "");
	const { agents } = useSeen();
	const set = (name: string, value: string): void =>
		setQuery((before) => {
			const next = new URLSearchParams(before);
			if (value === "") next.delete(name);
			else next.set(name, value);
			return next;
		});
	const words = query.get("text") ?? "";
	const [project, agent, kind] = ["project", "agent", "kind"].map((name) => query.get(name));
	const shown = { project: project ?? null, agent: agents.find(({ id }) => id === agent)?.id ?? null };
	return (
		<>
			<header className="page-header">
				<h1>Journal</h1>
				<form
					className="bar"
					role="search"
					onSubmit={(event) => {
						event.preventDefault();
						set("text", text.trim());
					}}
				>
					<input
						className="input journal-search"
						type="search"
						aria-label="Search conversations"
						placeholder="Search conversations; word* matches prefixes"
						value={text}
						onChange={({ target }) => setText(target.value)}
					/>
					<Button type="submit" onClick={() => set("text", text.trim())}>
						Search
					</Button>
				</form>
				<span className="spread" />
				<Filters {...shown} kind={kind ?? null} isSearch={words !== ""} onChange={set} />
			</header>
			{words === "" ? <Events {...shown} kind={kind ?? null} /> : <Hits {...shown} words={words} />}
		</>
	);
}

interface Shown {
	project: string | null;
	agent: AgentId | null;
}

interface FiltersProps extends Shown {
	kind: string | null;
	isSearch: boolean;
	onChange(name: string, value: string): void;
}

function Filters({ project, agent, kind, isSearch, onChange }: FiltersProps) {
	const { projects, agents } = useSeen();
	return (
		<>
			<select
				className="select"
				aria-label="Project"
				value={project ?? ""}
				onChange={({ target }) => onChange("project", target.value)}
			>
				<option value="">all projects</option>
				{projects.map(({ slug }) => (
					<option key={slug}>{slug}</option>
				))}
			</select>
			<select
				className="select"
				aria-label="Agent"
				value={agent ?? ""}
				onChange={({ target }) => onChange("agent", target.value)}
			>
				<option value="">all agents</option>
				{agents
					.filter((each) => project === null || each.project === project)
					.map(({ id, handle, project: of }) => (
						<option key={id} value={id}>
							{of === null || project !== null ? handle : `${of}/${handle}`}
						</option>
					))}
			</select>
			<select
				className="select"
				aria-label="Kind of event"
				disabled={isSearch}
				title={isSearch ? "A search covers conversations, which have no events of these kinds." : undefined}
				value={isSearch ? "" : (kind ?? "")}
				onChange={({ target }) => onChange("kind", target.value)}
			>
				<option value="">{isSearch ? "conversations only" : "all kinds"}</option>
				{journalFilters.map(({ name, kinds }) => (
					<option key={name} value={kinds.join(",")}>
						{name}
					</option>
				))}
			</select>
		</>
	);
}

/** The filters that the daemon knows. */
function useFilters({ project, agent }: Shown) {
	const known = useSeen().projects.find(({ slug }) => slug === project);
	return { ...(known !== undefined && { project: known.slug }), ...(agent !== null && { agent }) };
}

function Hits({ words, ...shown }: Shown & { words: string }) {
	const [limit, setLimit] = useState(shownMax);
	const read = useRead("search", { query: { text: words, limit, ...useFilters(shown) } });
	if (read.state === "failed") return <RefusedPlaceholder refusal={read.refusal} again={read.again} />;
	if (read.data === undefined) return <Loading what="what was found" />;
	const { found, complete } = read.data;
	return (
		<>
			{!complete && <p className="meta panel-note">Some of the journal is not indexed yet: search again in a while.</p>}
			{found.length === 0 ? (
				<Empty title={`No conversation contains “${words}”.`}>A word with * at its end matches a prefix.</Empty>
			) : (
				<ul className="rows panel journal-list" aria-label="Found">
					{found.map((hit) => (
						<Hit key={hit.id} hit={hit} words={words} />
					))}
				</ul>
			)}
			{found.length === limit && (
				<div className="bar journal-more">
					<span className="meta">These are the newest {limit}.</span>
					<Button
						why={limit === foundMax ? "A search finds no more: use more words, or choose a project or an agent." : null}
						onClick={() => setLimit(foundMax)}
					>
						Older
					</Button>
				</div>
			)}
		</>
	);
}

function Hit({ hit: { id, agent, handle, kind, snippet, at }, words }: { hit: Found; words: string }) {
	return (
		<li>
			<Link href={paths.agentItem(agent, id, words)} className="row row-link">
				<span className="row-name clip">{handle}</span>
				<span className="meta row-project">{kind}</span>
				<span className="row-line clip">{snippet}</span>
				<Age at={at} />
			</Link>
		</li>
	);
}

/**
 * Newest first. The stream says that there are newer ones; they are shown on request, so that rows stay where they are.
 */
function Events({ kind, ...shown }: Shown & { kind: string | null }) {
	const seen = useSeen();
	const [before, setBefore] = useState(0);
	const [at, setAt] = useState(seen.at);
	const filters = { ...(kind !== null && { kind }), ...useFilters(shown) };
	const size = Object.keys(filters).length === 0 ? shownMax : filteredMax;
	const after = Math.max(0, (before === 0 ? at : before - 1) - size);
	const read = useRead("journal", { query: { after, limit: size, ...filters } }, at);
	if (read.state === "failed") return <RefusedPlaceholder refusal={read.refusal} again={read.again} />;
	if (read.data === undefined) return <Loading what="the journal" rows={12} />;
	const hasNewer = before === 0 && seen.at > at;
	const showNewest = (): void => {
		setAt(seen.at);
		setBefore(0);
	};
	const matching = read.data.events.filter(({ id }) => before === 0 || id < before).toReversed();
	const events = matching.slice(0, shownMax);
	const isBeginning = after === 0 && matching.length <= shownMax;
	return (
		<>
			{hasNewer && (
				<div className="bar journal-newer">
					<Button onClick={showNewest}>Show newer events</Button>
				</div>
			)}
			{events.length === 0 ? (
				<Empty title="No matching events.">Change the filters, or look further back.</Empty>
			) : (
				<ol className="rows panel journal-list" aria-label="Events, newest first" reversed>
					{events.map((event) => (
						<EventRow key={event.id} event={event} />
					))}
				</ol>
			)}
			<div className="bar journal-more">
				<Button
					why={isBeginning ? "This is the beginning of the journal." : null}
					// further back, also where nothing was found
					onClick={() => setBefore(events.at(-1)?.id ?? after + 1)}
				>
					Older
				</Button>
				<Button why={before === 0 && !hasNewer ? "These are the newest." : null} onClick={showNewest}>
					Newest
				</Button>
			</div>
		</>
	);
}

function EventRow({ event: { id, agent, actor, kind, text, data, at } }: { event: WireEvent }) {
	const seen = useSeen();
	const [isOpen, setOpen] = useState(false);
	const name = agent === null ? null : (seen.agent(agent)?.handle ?? "an agent");
	const named = withNodeNames({ kind, text, data }, (node) => seen.nodeName(node));
	return (
		<li className="row journal-row">
			<span className="meta mono journal-id">{id}</span>
			<span className="row-name clip">
				{agent === null || name === null ? (
					<span className="meta">–</span>
				) : (
					<Link href={paths.agent(agent)}>{name}</Link>
				)}
			</span>
			<button type="button" className="row-line journal-open" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
				<span className="mono journal-kind clip">{kind}</span>
				<span className="clip">{summaryOf(named, momentOf)}</span>
			</button>
			<Age at={at} />
			{isOpen && (
				<CodeBox label="Event" className="journal-whole">
					{[`by ${actor}`, text, data === null ? null : JSON.stringify(data, null, 2)]
						.filter((part) => part !== null && part !== "")
						.join("\n\n")}
				</CodeBox>
			)}
		</li>
	);
}
