import { useState } from "react";
import { Link } from "wouter";
import type { Agent } from "#contract/wire.ts";
import { whyNoFiles } from "#views/agent-actions.ts";
import { budgetLine, spentLine } from "#views/usage-lines.ts";
import { useAct, useRead } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { paths } from "../../ui/paths.ts";
import { Loading, RefusedPlaceholder } from "../../ui/placeholder.tsx";
import { filesKey } from "./files-key.ts";

export function WorkspacePanel({ agent }: { agent: Agent }) {
	const { workspace, spent, budget, budgetLeft, policy, subscription, lastError, lineage } = agent;
	const fields: readonly (readonly [string, string | null])[] = [
		["Workspace", workspace?.kind ?? "none"],
		["Folder", workspace?.path ?? null],
		["Branch", workspace?.branch ?? null],
		["Base", workspace?.base ?? null],
		["Git step", agent.lease],
		["Policy", policy],
		["Subscription", subscription ?? "any of its type"],
		["Used", spentLine(spent)],
		[
			"Budget",
			budget === null ? null : `${budgetLine(budget)}; left: ${budgetLeft === null ? "-" : budgetLine(budgetLeft)}`,
		],
		["Fork point", lineage === null ? null : `item ${lineage.forkPoint}`],
		["Last error", lastError === null ? null : `${lastError.code} in step ${lastError.step}`],
		["Id", agent.id],
	];
	return (
		<>
			<dl className="fields">
				{fields.map(([name, value]) =>
					value === null ? null : (
						<div key={name}>
							<dt>{name}</dt>
							<dd className="mono">{value}</dd>
						</div>
					),
				)}
			</dl>
			<Link href={paths.review(agent.id)} className="link panel-note">
				Review this branch
			</Link>
			<HealthCheck key={agent.id} agent={agent} />
		</>
	);
}

function HealthCheck({ agent }: { agent: Agent }) {
	const [count, setCount] = useState(1);
	const why = whyNoFiles(agent);
	const act = useAct();
	const params = { agent: agent.id };
	const recover = async (): Promise<void> => {
		await act("recover", { params, body: {} }, `${agent.handle} was recovered`);
		setCount(count + 1);
	};
	// a recovery may be asked for anywhere
	const read = useRead("health", why === null ? { params } : null, `${count} ${filesKey(agent)}`);
	return (
		<div className="side-form">
			<div className="bar">
				<h2>Health</h2>
				<span className="spread" />
				{read.data?.healthy === false && <Button onClick={recover}>Recover</Button>}
				<Button why={why} onClick={() => setCount(count + 1)}>
					Check again
				</Button>
			</div>
			{why === null && read.state === "loading" && <Loading what="the health" rows={2} />}
			{read.state === "failed" && <RefusedPlaceholder refusal={read.refusal} again={read.again} />}
			{read.data?.healthy === true && <p className="tone-ok">The workspace is healthy.</p>}
			<ul>
				{(read.data?.issues ?? []).map(({ code, text, fix }) => (
					<li key={code} className="health-problem">
						<span className="tone-bad">{text}</span> <code>{fix}</code>
					</li>
				))}
			</ul>
		</div>
	);
}
