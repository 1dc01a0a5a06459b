// The head of the overview: cost today, and whether the daemon is well.

import { Link } from "wouter";
import { counted } from "#contract/counted.ts";
import { tokensAndCost, totalUsage } from "#views/usage.ts";
import { useRead, useSeen, useTicks } from "../../store/hooks.ts";
import { useOpenTurns } from "../../store/open-turns.ts";
import { paths } from "../../ui/paths.ts";

export function DaemonBar() {
	const { agents, projects } = useSeen();
	const living = agents.filter(({ life }) => life !== "ended").length;
	return (
		<header className="page-header">
			<h1>Overview</h1>
			<span className="meta">
				{counted(projects.length, "project")} · {counted(living, "living agent")}
			</span>
			<span className="spread" />
			<CostToday />
			<Problems />
		</header>
	);
}

function CostToday() {
	const read = useRead("usage", { query: { by: "project", since: midnight() } }, useOpenTurns());
	const total = read.data === undefined ? null : totalUsage(read.data);
	return (
		<span className="meta" title="Tokens and cost are as reported by the agents' programs.">
			{total !== null ? `today ${tokensAndCost(total)}` : read.state === "failed" ? "cost unknown" : "today …"}
		</span>
	);
}

function midnight(): string {
	const day = new Date(performance.timeOrigin + performance.now());
	day.setHours(0, 0, 0, 0);
	return day.toISOString();
}

/** the daemon looks at its projects when it is asked */
const lookEveryMs = 60_000;

function Problems() {
	const { projects, connection, inbox } = useSeen();
	const checked = useRead("projects", { query: { check: "true" } }, `${connection.state} ${useTicks(lookEveryMs)}`);
	const known = (checked.data ?? projects).map(({ slug, problem }) => `${slug} ${problem?.text ?? ""}`).join();
	// also those of projects
	const read = useRead("status", checked.state === "loading" ? null : {}, `${connection.state} ${known}`);
	const fallen = inbox.nodes.map(({ name }) => `node ${name}: stopped answering`);
	const problems = [...(read.data?.problems ?? []).map(({ what, text }) => `${what}: ${text}`), ...fallen];
	// how it was before it stopped answering says nothing about now
	const isUnknown = connection.state === "lost" || (read.state === "failed" && problems.length === 0);
	if (isUnknown) return <span className="meta">health unknown</span>;
	if (read.state === "loading" && read.data === undefined) return <span className="meta">problems …</span>;
	if (problems.length === 0) return <span className="tone-ok">no problems</span>;
	return (
		<Link href={paths.settings()} className="tone-bad" title={problems.join("\n")}>
			{counted(problems.length, "problem")}
		</Link>
	);
}
