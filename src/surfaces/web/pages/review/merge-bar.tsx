// What a merge would meet, and the decision: conflicts and checks before anybody approves.

import { useState } from "react";
import { counted } from "#contract/counted.ts";
import type { Refusal } from "#contract/refusal.ts";
import { inline } from "#contract/visible.ts";
import { CommandRun, type MergePreview, mergeStrategies } from "#contract/workspace.ts";
import { whyNoStep } from "#views/agent-actions.ts";
import { whyNoReview } from "#views/issue.ts";
import { useDraft } from "../../store/drafts.ts";
import { useAct, useNeeds, useRead, useSeen } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBox } from "../../ui/code-box.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextAreaField } from "../../ui/field.tsx";
import { RefusedNote } from "../../ui/refused-note.tsx";
import { routesOf, type Subject } from "./subject.ts";

type Strategy = (typeof mergeStrategies)[number];

interface MergeBarProps {
	subject: Subject;
	name: string;
	/** the commit of the diff that is shown; only this one is approved */
	shown: string | null;
	/** nothing differs from base */
	isEmpty: boolean;
	again: number;
	onReload(): void;
}

export function MergeBar({ subject, name, shown, isEmpty, again, onReload }: MergeBarProps) {
	const { params, preview: route, check } = routesOf(subject);
	const [decided, setDecided] = useState(0);
	const nothing = useNothingToMerge(subject, isEmpty);
	const read = useRead(route, nothing === null ? { params } : null, `${again} ${decided} ${useWork(subject)}`);
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
	const why = whyNot ?? nothing ?? moved ?? whyNoMerge(read.state === "failed" ? read.refusal : null, preview);
	return (
		<div className="merge-bar">
			{nothing !== null && <span className="meta">{nothing}</span>}
			{nothing === null && read.state === "loading" && <span className="meta">Trying the merge…</span>}
			<RefusedNote read={read} what="The merge" />
			{moved !== null && (
				<span className="bar" role="status">
					<span className="tone-wait">{moved}</span>
					<Button about="the diff" onClick={onReload}>
						Reload
					</Button>
				</span>
			)}
			{preview !== null && moved === null && <Found preview={preview} />}
			{checked !== null && isSameMerge(checked, preview) && <Checked {...checked} />}
			<span className="spread" />
			<Button why={preview === null ? why : noCheck(preview)} onClick={runCheck}>
				Run the check
			</Button>
			{!("agent" in subject) && (
				<Button why={whyNot} onClick={() => setRejecting(true)}>
					Reject…
				</Button>
			)}
			<Approve
				subject={subject}
				why={why}
				commit={shown}
				onFailedCheck={(check) => setChecked(preview && { ...preview, check })}
				onDecided={() => setDecided(decided + 1)}
			/>
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
					✗ conflicts in <span className="mono">{inline(conflicts.join(", "))}</span>
				</span>
			)}
		</>
	);
}

function Checked({ check }: MergePreview) {
	if (check === null) return null;
	const passed = check.exit === 0;
	return (
		<details
			className="merge-check"
			open={!passed}
			// what failed is mostly said last
			onToggle={({ currentTarget }) => {
				const output = currentTarget.querySelector("pre");
				if (output !== null) output.scrollTop = output.scrollHeight;
			}}
		>
			<summary className={passed ? "tone-ok" : "tone-bad"}>
				{passed ? "✓ the check passed" : `✗ the check failed (exit ${check.exit})`}
			</summary>
			<CodeBox label="Output of the check">{check.output === "" ? "no output" : check.output}</CodeBox>
		</details>
	);
}

/** What a check said of other commits says nothing about these. */
const isSameMerge = (checked: MergePreview, preview: MergePreview | null): boolean =>
	checked.commit === preview?.commit && checked.baseCommit === preview.baseCommit;

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

/** Why no merge is tried; null if there may be something to merge. */
function useNothingToMerge(subject: Subject, isEmpty: boolean): string | null {
	const seen = useSeen();
	const issue =
		"agent" in subject ? undefined : seen.issues(subject.project).find(({ number }) => number === subject.number);
	return isEmpty || issue?.mergedCommit != null ? "There is nothing to merge." : null;
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
	if (preview === null) return "The merge is still being tried.";
	return preview.conflicts.length > 0 ? "There are conflicts: have the agent merge base first." : null;
}

interface ApproveProps {
	subject: Subject;
	why: string | null;
	commit: string | null;
	onFailedCheck(check: CommandRun): void;
	/** also if it was refused: then the branch may have moved */
	onDecided(): void;
}

function Approve({ subject, why, commit, onFailedCheck, onDecided }: ApproveProps) {
	const act = useAct();
	const [strategy, setStrategy] = useState<Strategy | "">("");
	const merge = useProjectMerge(subject);
	const answers = ({ details: { step, command, exit, output } }: Refusal): boolean => {
		const ran = CommandRun.safeParse({ command, exit, output });
		if (step === "check" && ran.success) onFailedCheck(ran.data);
		return false;
	};
	const approve = async (): Promise<void> => {
		const body = { ...(strategy !== "" && { strategy }), ...(commit !== null && { commit }) };
		await ("agent" in subject
			? act("approve", { params: { agent: subject.agent }, body }, "Merged into base.", answers)
			: act("issueApprove", { params: { issue: `${subject.project}#${subject.number}` }, body }, "Approved.", answers));
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
				<option value="">the project's strategy{merge !== null && ` (${merge})`}</option>
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

function useProjectMerge(subject: Subject): Strategy | null {
	const seen = useSeen();
	const project = "agent" in subject ? (seen.agent(subject.agent)?.project ?? null) : subject.project;
	const read = useRead("projectSettings", project === null ? null : { params: { project } });
	return read.data?.settings.merge ?? null;
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
