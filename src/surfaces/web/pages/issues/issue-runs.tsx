import { Link } from "wouter";
import type { Run } from "#contract/issue-wire.ts";
import { money } from "#views/usage-lines.ts";
import { Age } from "../../ui/age.tsx";
import { Markdown } from "../../ui/markdown.tsx";
import { paths } from "../../ui/paths.ts";

const glyphs: Readonly<Record<Run["state"], string>> = {
	open: "●",
	completed: "○",
	interrupted: "◌",
	failed: "✗",
	cancelled: "·",
};

export function IssueRuns({ runs }: { runs: readonly Run[] }) {
	const cost = runs.reduce((sum, run) => sum + (run.costUsd ?? 0), 0);
	return (
		<section className="panel" aria-labelledby="runs">
			<h2 id="runs" className="panel-title">
				Runs <span className="panel-count">{runs.length}</span>
				{cost > 0 && <span className="meta"> · {dollars(cost)}</span>}
			</h2>
			{runs.length === 0 && <p className="meta panel-note">No agent has worked on it yet.</p>}
			<ul className="rows">
				{runs.map((run) => (
					<li key={run.id} className="run">
						<div className="bar">
							<span className={run.state === "failed" ? "tone-bad" : "meta"} title={run.state}>
								<span aria-hidden="true">{glyphs[run.state]}</span>
								<span className="sr-only">{run.state}</span>
							</span>
							<span className="clip">{run.stage}</span>
							<Link href={paths.agentAt(run.agent, run.turn)} className="clip">
								{run.handle ?? "an agent"}
							</Link>
							<span className="spread" />
							<Age at={run.startedAt} suffix=" ago" />
						</div>
						<p className="meta">{costOf(run)}</p>
						<Summary of={run} />
					</li>
				))}
			</ul>
		</section>
	);
}

/** What the agent said about its work. */
function Summary({ of: { summary } }: { of: Run }) {
	if (summary === null || summary.trim() === "") return null;
	if (summary.length <= shortMax) return <Markdown text={summary} />;
	return (
		<details>
			<summary>{summary.slice(0, shortMax).toWellFormed()} …</summary>
			<Markdown text={summary} />
		</details>
	);
}

/** a longer summary is opened first */
const shortMax = 200;

const dollars = (amount: number): string => money({ costs: [{ amount, currency: "USD" }] });

/** As reported by the agent's program. */
const costOf = ({ costUsd, inputTokens, outputTokens, durationMs }: Run): string =>
	[
		inputTokens === null ? null : `${(inputTokens + (outputTokens ?? 0)).toLocaleString("en")} tokens`,
		costUsd === null ? null : dollars(costUsd),
		durationMs === null ? "running" : `took ${Math.round(durationMs / 1000)} s`,
	]
		.filter(Boolean)
		.join(" · ");
