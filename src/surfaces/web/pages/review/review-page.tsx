// Review of an agent's branch or of an issue's: the diff, what a merge would meet, comments, and the decision.
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { counted } from "#contract/counted.ts";
import { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { ReviewComment } from "#contract/review.ts";
import { reviewPrompt } from "#views/review.ts";
import { useAct, useSeen } from "../../store/hooks.ts";
import { toast } from "../../store/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { Counts } from "../../ui/diff.tsx";
import { paths } from "../../ui/paths.ts";
import { Empty, Loading, RefusedPlaceholder } from "../../ui/placeholder.tsx";
import { CommentList } from "./comment-list.tsx";
import type { Layout } from "./diff-rows.ts";
import { FileTree } from "./file-tree.tsx";
import { keepLayout, layout as keptLayout } from "./layout.ts";
import { MergeBar } from "./merge-bar.tsx";
import { ReviewDiff } from "./review-diff.tsx";
import type { Subject } from "./subject.ts";
import { useDiffPages } from "./use-diff-pages.ts";
import { type ReviewDraft, useReviewDraft } from "./use-review.ts";

export function AgentReview({ params }: { params: Readonly<Record<string, string>> }) {
	const agent = AgentId.safeParse(params["agent"]);
	return agent.success ? <Review subject={{ agent: agent.data }} /> : <Empty title="There is no such agent." />;
}

export function IssueReview({ params }: { params: Readonly<Record<string, string>> }) {
	const project = ProjectSlug.safeParse(params["project"]);
	const number = Number(params["number"]);
	return project.success && Number.isInteger(number) ? (
		<Review subject={{ project: project.data, number }} />
	) : (
		<Empty title="There is no such issue." />
	);
}

function Review({ subject }: { subject: Subject }) {
	const [again, setAgain] = useState(0);
	const { read, pages, want, loadWhole } = useDiffPages(subject, again);
	const [layout, setLayout] = useState(keptLayout);
	const show = (next: Layout): void => {
		keepLayout(next);
		setLayout(next);
	};
	const name = useSubjectName(subject);
	const draft = useReviewDraft("agent" in subject ? subject.agent : name, pages.drawn, loadWhole);
	const [current, setCurrent] = useState<string | null>(null);
	if (read.state === "failed") return <RefusedPlaceholder refusal={read.refusal} again={read.again} isPage />;
	if (read.data === undefined) return <Loading what="the diff" rows={12} isPage />;
	const { total, omitted } = read.data;
	const { files } = pages;
	return (
		<div className="review">
			<header className="page-header">
				<h1>
					Review <Link href={hrefOf(subject)}>{name}</Link>
				</h1>
				<span className="meta">{counted(total.files, "file")}</span>
				<Counts added={total.added} deleted={total.deleted} />
				<span className="meta">
					{files.filter(({ path }) => draft.viewed.has(path)).length} viewed
					{!pages.isListed && ` · ${counted(files.length, "file")} listed so far`}
				</span>
				<span className="spread" />
				<Button onClick={() => show(layout === "side" ? "inline" : "side")}>
					{layout === "side" ? "Show inline" : "Show side by side"}
				</Button>
				<Button onClick={() => setAgain(again + 1)}>Reload</Button>
			</header>
			<MergeBar
				subject={subject}
				name={name}
				shown={read.data.commit ?? null}
				isEmpty={total.files === 0}
				again={again}
				onReload={() => setAgain(again + 1)}
			/>
			{files.length === 0 ? (
				<Empty title="Nothing differs from base.">When the agent changes files, they appear here.</Empty>
			) : (
				<div className="review-body">
					<FileTree
						files={files}
						drawn={pages.drawn}
						viewed={draft.viewed}
						current={current}
						onOpen={setCurrent}
						onView={draft.toggleViewed}
					/>
					<ReviewDiff pages={pages} want={want} loadWhole={loadWhole} layout={layout} draft={draft} current={current} />
				</div>
			)}
			{omitted.length > 0 && (
				<p className="meta panel-note">
					Not shown: {omitted.map(({ path, reason }) => `${path} (${reason})`).join(", ")}
				</p>
			)}
			<SendComments subject={subject} draft={draft} />
		</div>
	);
}

function SendComments({ subject, draft }: { subject: Subject; draft: ReviewDraft }) {
	const act = useAct();
	const [, go] = useLocation();
	const { comments, remove } = draft;
	if (comments.length === 0) return null;
	const deliver = async (unsent: readonly ReviewComment[]): Promise<boolean> => {
		if (unsent.length === 0) {
			toast({ tone: "wait", text: "Another tab has sent these comments." });
			return false;
		}
		const review = { comments: [...unsent], summary: "" };
		const sent =
			"agent" in subject
				? await act("review", { params: { agent: subject.agent }, body: review }, "Sent to the agent as one prompt.")
				: await act(
						"issueReject",
						{
							params: { issue: `${subject.project}#${subject.number}` },
							body: { reason: reviewPrompt(review) },
						},
						"Sent back with your comments.",
					);
		return sent !== null;
	};
	const send = async (): Promise<void> => {
		if (await draft.send(deliver)) go(hrefOf(subject));
	};
	return (
		<CommentList comments={comments} onRemove={remove}>
			<Button kind="primary" onClick={send}>
				{"agent" in subject ? `Send ${comments.length} to the agent` : `Send back with ${comments.length}`}
			</Button>
		</CommentList>
	);
}

const hrefOf = (subject: Subject): string =>
	"agent" in subject ? paths.agent(subject.agent) : paths.issue(subject.project, subject.number);

function useSubjectName(subject: Subject): string {
	const seen = useSeen();
	return "agent" in subject
		? (seen.agent(subject.agent)?.handle ?? "an agent")
		: `${subject.project}#${subject.number}`;
}
