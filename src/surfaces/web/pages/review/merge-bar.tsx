// What a merge would meet, and the decision: conflicts and checks before anybody approves.

import { useState } from "react";
import { counted } from "#contract/counted.ts";
import type { Refusal } from "#contract/refusal.ts";
import { type MergePreview, mergeStrategies } from "#contract/workspace.ts";
import { whyNoStep } from "#views/agent-actions.ts";
import { whyNoReview } from "#views/issue.ts";
import { useDraft } from "../../store/drafts.ts";
import { useAct, useNeeds, useRead, useSeen } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextAreaField } from "../../ui/field.tsx";
import { routesOf, type Subject } from "./subject.ts";

type Strategy = (typeof mergeStrategies)[number];

interface MergeBarProps {
	subject: Subject;
	name: string;
	/** the commit of the diff that is shown; only this one is approved */
	shown: string | null;
	again: number;
	onReload(): void;
}

export function MergeBar({ subject, name, shown, again, onReload }: MergeBarProps) {
	const { params, preview: route, check } = routesOf(subject);
	const [decided, setDecided] = useState(0);
	const read = useRead(route, { params }, `${again} ${decided} ${useWork(subject)}`);
	const [checked, setChecked] = useState<MergePreview | null>(null);
	const [isRejecting, setRejecting] = useState(false);
	const act = useAct();
	const runCheck = async (): Promise<void> => setChecked(await act(check, { params, body: {} }));
	const preview = read.state === "ready" ? read.data : null;
	const whyNot = useWhyNoReview(subject);
	const moved =
		preview !== null && shown !== null && preview.commit !== shown
			? `${name} has changed since you loaded this.`
			: null;
	const why = whyNot ?? moved ?? whyNoMerge(read.state === "failed" ? read.refusal : null, preview);
	return (
		<div className="merge-bar">
			{read.state === "loading" && <span className="meta">Trying the merge…</span>}
			{read.state === "failed" && <span className="tone-wait">{read.refusal.message}</span>}
			{moved !== null && (
				<span className="bar" role="status">
					<span className="tone-wait">{moved}</span>
					<Button about="the diff" onClick={onReload}>
						Reload
					</Button>
				</span>
			)}
			{preview !== null && moved === null && <Found preview={preview} />}
			{checked !== null && isSameMerge(checked, preview) && <Checked preview={checked} />}
			<span className="spread" />
			<Button why={preview === null ? (why ?? "The merge is still being tried.") : noCheck(preview)} onClick={runCheck}>
				Run the check
			</Button>
			{!("agent" in subject) && (
				<Button why={whyNot} onClick={() => setRejecting(true)}>
					Reject…
				</Button>
			)}
			<Approve subject={subject} why={why} commit={shown} onDecided={() => setDecided(decided + 1)} />
			{isRejecting && !("agent" in subject) && <Reject subject={subject} onClose={() => setRejecting(false)} />}
		</div>
	);
}

function Found({ preview: { base, ahead, behind, conflicts } }: { preview: MergePreview }) {
	return (
		<>
			<span>
				{counted(ahead, "commit")} for <span className="mono">{base}</span>
				{behind > 0 && <span className="meta"> · {behind} behind</span>}
			</span>
			{conflicts.length === 0 ? (
				<span className="tone-ok">✓ no conflicts</span>
			) : (
				<span className="tone-bad">
					✗ conflicts in <span className="mono">{conflicts.join(", ")}</span>
				</span>
			)}
		</>
	);
}

function Checked({ preview: { check } }: { preview: MergePreview }) {
	if (check === null) return null;
	const passed = check.exit === 0;
	return (
		<details className="merge-check">
			<summary className={passed ? "tone-ok" : "tone-bad"}>
				{passed ? "✓ the check passed" : `✗ the check failed (exit ${check.exit})`}
			</summary>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
			<pre className="code" tabIndex={0}>
				{check.output === "" ? "no output" : check.output}
			</pre>
		</details>
	);
}

/** What a check said of other commits says nothing about these. */
const isSameMerge = (checked: MergePreview, preview: MergePreview | null): boolean =>
	checked.commit === preview?.commit && checked.onto === preview.onto;

const noCheck = ({ hasCheck, conflicts }: MergePreview): string | null =>
	!hasCheck
		? "This project has no approved check: set `check` in its .brood.yaml, and approve it in the settings."
		: conflicts.length > 0
			? "There are conflicts: there is no merge result to check."
			: null;

/** Why the agent's or the issue's work can be neither approved nor sent back, whatever a merge would meet. */
function useWhyNoReview(subject: Subject): string | null {
	const seen = useSeen();
	useNeeds({ boards: "agent" in subject ? [] : [subject.project] });
	if ("agent" in subject) {
		const agent = seen.agent(subject.agent);
		return agent === undefined ? null : whyNoStep(agent, "approve");
	}
	const issue = seen.issues(subject.project).find(({ number }) => number === subject.number);
	return issue === undefined ? null : whyNoReview(issue);
}

/** Changes with the work on the branch: then the merge is tried again. */
function useWork(subject: Subject): string {
	const seen = useSeen();
	if ("agent" in subject) return seen.workOn(subject.agent);
	const issue = seen.issues(subject.project).find(({ number }) => number === subject.number);
	return issue === undefined ? "" : `${issue.updatedAt} ${seen.workOn(issue)}`;
}

function whyNoMerge(refusal: Refusal | null, preview: MergePreview | null): string | null {
	if (refusal !== null) return refusal.message;
	return preview !== null && preview.conflicts.length > 0
		? "There are conflicts: have the agent merge base first."
		: null;
}

interface ApproveProps {
	subject: Subject;
	why: string | null;
	commit: string | null;
	/** also if it was refused: then the branch may have moved */
	onDecided(): void;
}

function Approve({ subject, why, commit, onDecided }: ApproveProps) {
	const act = useAct();
	const [strategy, setStrategy] = useState<Strategy | "">("");
	const approve = async (): Promise<void> => {
		const body = { ...(strategy !== "" && { strategy }), ...(commit !== null && { commit }) };
		await ("agent" in subject
			? act("approve", { params: { agent: subject.agent }, body }, "Merged into base.")
			: act("issueApprove", { params: { issue: `${subject.project}#${subject.number}` }, body }, "Approved."));
		onDecided();
	};
	return (
		<>
			<select
				className="select"
				aria-label="Merge strategy"
				value={strategy}
				onChange={({ target }) => setStrategy(mergeStrategies.find((each) => each === target.value) ?? "")}
			>
				<option value="">the project's strategy</option>
				{mergeStrategies.map((each) => (
					<option key={each}>{each}</option>
				))}
			</select>
			<Button kind="primary" why={why} onClick={approve}>
				Approve
			</Button>
		</>
	);
}

function Reject({ subject, onClose }: { subject: Extract<Subject, { number: number }>; onClose(): void }) {
	const act = useAct();
	const issue = `${subject.project}#${subject.number}`;
	const [reason, setReason] = useDraft(`reject ${issue}`);
	const send = async (): Promise<void> => {
		if ((await act("issueReject", { params: { issue }, body: { reason } }, "Sent back.")) === null) return;
		setReason("");
		onClose();
	};
	return (
		<Dialog
			title="Send it back"
			onClose={onClose}
			actions={
				<Button kind="primary" why={reason.trim() === "" ? "Say what needs to change." : null} onClick={send}>
					Reject
				</Button>
			}
		>
			<TextAreaField label="What needs to change" rows={4} value={reason} onChange={setReason} />
		</Dialog>
	);
}
