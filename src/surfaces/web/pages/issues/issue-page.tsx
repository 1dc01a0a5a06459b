// One issue: what is asked for, what was said, its documents, its runs with their cost, and what may be done now.
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { ProjectSlug } from "#contract/ids.ts";
import { IssueNumber } from "#contract/issue.ts";
import type { IssueDetails } from "#contract/issue-wire.ts";
import { useDraft } from "../../store/drafts.ts";
import { useAct, useNeeds, useRead, useSeen } from "../../store/hooks.ts";
import { ActorName } from "../../ui/actor-name.tsx";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { TextAreaField } from "../../ui/field.tsx";
import { Markdown } from "../../ui/markdown.tsx";
import { paths } from "../../ui/paths.ts";
import { Empty, Loading, RefusedPlaceholder } from "../../ui/placeholder.tsx";
import { Assignee } from "./assignee.tsx";
import { Dependencies } from "./dependencies.tsx";
import { IssueActions } from "./issue-actions.tsx";
import { IssueRuns } from "./issue-runs.tsx";

export function IssuePage({ params }: { params: Readonly<Record<string, string>> }) {
	const project = ProjectSlug.safeParse(params["project"]);
	const number = IssueNumber.safeParse(Number(params["number"]));
	return project.success && number.success ? (
		<Known project={project.data} number={number.data} />
	) : (
		<Empty title="There is no such issue." isPage />
	);
}

function Known({ project, number }: { project: ProjectSlug; number: number }) {
	const seen = useSeen();
	useNeeds({ boards: [project] });
	const row = seen.issues(project).find((issue) => issue.number === number);
	const [said, setSaid] = useState(0);
	// asked again whenever its row has changed
	const read = useRead("issue", { params: { issue: `${project}#${number}` } }, `${row?.updatedAt} ${said}`);
	if (read.state === "failed") return <RefusedPlaceholder refusal={read.refusal} again={read.again} isPage />;
	if (read.data === undefined) return <Loading what="the issue" isPage />;
	const issue = { ...read.data, ...row };
	return (
		<>
			<header className="page-header">
				<h1>
					<Link href={paths.issues(project)} className="meta">
						{project}#{number}
					</Link>{" "}
					{issue.title}
				</h1>
				<span className="badge">{issue.stage}</span>
				{issue.assigneeHandle !== null && issue.assignee !== null && (
					<Link href={paths.agent(issue.assignee)}>
						<Assignee id={issue.assignee} handle={issue.assigneeHandle} />
					</Link>
				)}
				<span className="spread" />
				<div className="bar page-actions">
					<IssueActions issue={issue} onDone={() => setSaid(said + 1)} />
				</div>
			</header>
			{issue.attention !== null && (
				<p className="banner tone-wait" role="alert">
					◆ {issue.attention.reason}
				</p>
			)}
			<div className="issue">
				<div className="issue-main">
					<Section title="Body">
						{issue.body === "" ? <p className="meta">No description.</p> : <Markdown text={issue.body} />}
					</Section>
					<Comments issue={issue} onSaid={() => setSaid(said + 1)} />
					<Messages issue={issue} />
					<Documents issue={issue} />
				</div>
				<aside className="issue-side" aria-label="Details">
					<IssueFields issue={issue} />
					<Dependencies issue={issue} onDone={() => setSaid(said + 1)} />
					<IssueRuns runs={issue.runs} />
				</aside>
			</div>
		</>
	);
}

function Section({ title, children }: { title: string; children: ReactNode }) {
	return (
		<section className="panel">
			<h2 className="panel-title">{title}</h2>
			<div className="panel-note">{children}</div>
		</section>
	);
}

function Comments({ issue: { project, number, comments }, onSaid }: { issue: IssueDetails; onSaid(): void }) {
	const act = useAct();
	const [text, setText] = useDraft(`comment ${project}#${number}`);
	const say = async (): Promise<void> => {
		const said = await act("issueComment", { params: { issue: `${project}#${number}` }, body: { text: text.trim() } });
		if (said === null) return;
		setText("");
		onSaid();
	};
	return (
		<Section title="Comments">
			<ul className="issue-comments">
				{comments.map(({ id, by, at, text: words }) => (
					<li key={id}>
						<p className="meta">
							<ActorName actor={by} /> · <Age at={at} suffix=" ago" />
						</p>
						<Markdown text={words} />
					</li>
				))}
			</ul>
			<TextAreaField label="Comment" rows={2} value={text} onChange={setText} />
			<div className="bar">
				<Button why={text.trim() === "" ? "Enter a comment first." : null} onClick={say}>
					Comment
				</Button>
			</div>
		</Section>
	);
}

/** What a stage was told by a person or by another stage, such as why a review sent the issue back. */
function Messages({ issue: { messages } }: { issue: IssueDetails }) {
	if (messages.length === 0) return null;
	return (
		<Section title="Messages">
			<ul className="issue-comments">
				{messages.map(({ id, by, at, stage, text, delivered }) => (
					<li key={id}>
						<p className="meta">
							<ActorName actor={by} /> to {stage}
							{!delivered && ", not delivered yet"} · <Age at={at} suffix=" ago" />
						</p>
						<Markdown text={text} />
					</li>
				))}
			</ul>
		</Section>
	);
}

function Documents({ issue }: { issue: IssueDetails }) {
	const { documents } = issue;
	if (documents.length === 0) return null;
	return (
		<Section title="Documents">
			{documents.map((document) => (
				<IssueDocument key={document.id} document={document} />
			))}
			{documents.some(({ version }) => version > 1) && <EarlierVersions issue={issue} />}
		</Section>
	);
}

function IssueDocument({ document: { name, version, text } }: { document: IssueDetails["documents"][number] }) {
	return (
		<details>
			<summary>
				<span className="mono">{name}</span> <span className="meta">version {version}</span>
			</summary>
			<Markdown text={text} />
		</details>
	);
}

/** Loaded when they are opened: the issue itself has only the newest ones. */
function EarlierVersions({ issue: { project, number, documents } }: { issue: IssueDetails }) {
	const [isOpen, setOpen] = useState(false);
	const newest = new Set(documents.map(({ id }) => id));
	const input = isOpen ? { params: { issue: `${project}#${number}` } } : null;
	const read = useRead("issueDocuments", input, [...newest].join(" "));
	const earlier = read.data?.filter(({ id }) => !newest.has(id));
	return (
		<details onToggle={(event) => setOpen(event.currentTarget.open)}>
			<summary className="meta">Earlier versions</summary>
			{isOpen && read.state === "loading" && <Loading what="the earlier versions" />}
			{read.state === "failed" && <RefusedPlaceholder refusal={read.refusal} again={read.again} />}
			{isOpen && earlier?.map((document) => <IssueDocument key={document.id} document={document} />)}
		</details>
	);
}

function IssueFields({ issue }: { issue: IssueDetails }) {
	const { preset, priority, labels, branch, createdAt } = issue;
	const fields: [name: string, value: ReactNode][] = [
		["preset", preset],
		["priority", priority],
		["labels", labels.join(", ") || "none"],
		[
			"branch",
			branch === null ? (
				"none yet"
			) : (
				<span key="branch" className="mono">
					{branch}
				</span>
			),
		],
		["created", <Age key="created" at={createdAt} suffix=" ago" />],
	];
	return (
		<section className="panel">
			<h2 className="panel-title">Details</h2>
			<dl className="settings-list">
				{fields.map(([name, value]) => (
					<div key={name}>
						<dt className="meta">{name}</dt>
						<dd>{value}</dd>
					</div>
				))}
			</dl>
		</section>
	);
}
