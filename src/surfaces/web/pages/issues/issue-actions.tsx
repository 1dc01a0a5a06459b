// What may be done with an issue now. An action that is not possible says why.
import { useState } from "react";
import { Link } from "wouter";
import type { Issue } from "#contract/issue-wire.ts";
import { paths } from "../../paths.ts";
import { useAct, useSeen } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";

export function IssueActions({ issue, onDone }: { issue: Issue; onDone(): void }) {
	const act = useAct();
	const [isAssigning, setAssigning] = useState(false);
	const { project, number, waiting, assignee, attention, moves, doneAt, blockedBy, branch } = issue;
	const params = { issue: `${project}#${number}` };
	const over = doneAt === null ? null : "The issue is done.";
	const blocked = blockedBy.length === 0 ? null : `It waits for ${blockedBy.map((on) => `#${on}`).join(", ")}.`;
	const retry = async (): Promise<void> => {
		await act("issueRetry", { params, body: {} }, "Tried again.");
		onDone();
	};
	const assigned = (): void => {
		setAssigning(false);
		onDone();
	};
	const start = async (): Promise<void> => {
		await act("issueStart", { params, body: {} }, "Started.");
		onDone();
	};
	return (
		<>
			{attention !== null && <Button onClick={retry}>Retry</Button>}
			<Button why={over ?? (moves.length === 0 ? "It has been started." : blocked)} onClick={start}>
				Start
			</Button>
			<Button
				why={over ?? blocked ?? (assignee === null ? null : `${issue.agent} works on it.`)}
				onClick={() => setAssigning(true)}
			>
				Assign…
			</Button>
			{branch !== null && (
				<Link
					className={waiting === null ? "button" : "button button-primary"}
					href={paths.reviewIssue(project, number)}
				>
					Review
				</Link>
			)}
			{isAssigning && <Assign issue={issue} onClose={assigned} />}
		</>
	);
}

function Assign({ issue: { project, number }, onClose }: { issue: Issue; onClose(): void }) {
	const act = useAct();
	const { agents } = useSeen();
	const able = agents.filter((agent) => agent.project === project && agent.life === "live" && agent.issue === null);
	const [agent, setAgent] = useState<string>(able.find(({ label }) => label === "idle")?.id ?? "");
	const assign = async (): Promise<void> => {
		const params = { issue: `${project}#${number}` };
		if ((await act("issueAssign", { params, body: { agent } }, "Assigned.")) !== null) onClose();
	};
	return (
		<Dialog
			title={`Assign ${project}#${number}`}
			onClose={onClose}
			actions={
				<Button kind="primary" why={agent === "" ? "Choose an agent that is idle." : null} onClick={assign}>
					Assign
				</Button>
			}
		>
			<label className="field">
				<span>Agent</span>
				<select className="select" value={agent} onChange={({ target }) => setAgent(target.value)}>
					{agent === "" && <option value="">choose one</option>}
					{able.map(({ id, handle, label }) => (
						<option key={id} value={id}>
							{handle} ({label})
						</option>
					))}
				</select>
			</label>
			{able.length === 0 && (
				<p className="meta">
					No agent of {project} is free. <Link href={paths.agentAdd()}>Add one.</Link>
				</p>
			)}
		</Dialog>
	);
}
