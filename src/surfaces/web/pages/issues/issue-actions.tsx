// What may be done with an issue now. An action that is not possible says why.
import { useState } from "react";
import { Link } from "wouter";
import type { Issue } from "#contract/issue-wire.ts";
import { blockedText, waitingTexts } from "#views/issue.ts";
import { useAct, useSeen } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/field.tsx";
import { paths } from "../../ui/paths.ts";
import { EditIssue } from "./edit-issue.tsx";

export function IssueActions({ issue, onDone }: { issue: Issue; onDone(): void }) {
	const act = useAct();
	const [isOpen, setOpen] = useState<"assign" | "edit" | null>(null);
	const { project, number, waiting, assignee, attention, doneAt, blockedBy, branch } = issue;
	const seen = useSeen();
	const params = { issue: `${project}#${number}` };
	const over = doneAt === null ? null : "The issue is done.";
	const blocked = blockedBy.length === 0 ? null : `It is ${blockedText(blockedBy)}.`;
	const busy = waiting === null ? null : `It ${waitingTexts[waiting]}.`;
	const done = async (asked: Promise<unknown>): Promise<void> => {
		await asked;
		onDone();
	};
	const close = (): void => {
		setOpen(null);
		onDone();
	};
	return (
		<>
			{attention !== null && (
				<Button onClick={() => done(act("issueRetry", { params, body: {} }, "Retried."))}>Retry</Button>
			)}
			<Button onClick={() => setOpen("edit")}>Edit…</Button>
			<Button
				why={over ?? seen.whyNoStart(issue)}
				onClick={() => done(act("issueStart", { params, body: {} }, "Started."))}
			>
				Start
			</Button>
			{assignee === null ? (
				<Button why={over ?? blocked ?? busy} onClick={() => setOpen("assign")}>
					Assign…
				</Button>
			) : (
				<Button onClick={() => done(act("issueUnassign", { params, body: {} }, "Unassigned."))}>Unassign</Button>
			)}
			{branch !== null && (
				<Link
					className={waiting === null ? "button" : "button button-primary"}
					href={paths.reviewIssue(project, number)}
				>
					Review
				</Link>
			)}
			{isOpen === "assign" && <Assign issue={issue} onClose={close} />}
			{isOpen === "edit" && <EditIssue issue={issue} onClose={close} />}
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
				<Button kind="primary" why={agent === "" ? "Choose an idle agent." : null} onClick={assign}>
					Assign
				</Button>
			}
		>
			<SelectField label="Agent" value={agent} onChange={setAgent}>
				{agent === "" && <option value="">choose one</option>}
				{able.map(({ id, handle, label }) => (
					<option key={id} value={id}>
						{handle} ({label})
					</option>
				))}
			</SelectField>
			{able.length === 0 && (
				<p className="meta">
					No agent of {project} is free. <Link href={paths.agentAdd(project)}>Add one.</Link>
				</p>
			)}
		</Dialog>
	);
}
