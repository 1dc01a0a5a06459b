// The issues of a project: a board by stage, or a table.
import { useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { ProjectSlug } from "#contract/ids.ts";
import type { Issue } from "#contract/issue-wire.ts";
import type { Project } from "#contract/wire.ts";
import { blockedText, waitingTexts } from "#views/issue.ts";
import { useAct, useNeeds, useSeen } from "../../store/hooks.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { paths } from "../../ui/paths.ts";
import { Empty, Loading } from "../../ui/placeholder.tsx";
import { AddIssue } from "./add-issue.tsx";
import { Board } from "./board.tsx";

export function IssuesPage({ params }: { params: Readonly<Record<string, string>> }) {
	const { projects, isLoaded } = useSeen();
	const wanted = ProjectSlug.safeParse(params["project"]);
	const isNamed = params["project"] !== undefined;
	const project = isNamed ? projects.find(({ slug }) => slug === wanted.data) : projects[0];
	if (!isLoaded) return <Loading what="the issues" isPage />;
	if (project === undefined && isNamed)
		return (
			<Empty title="There is no such project." isPage>
				It may have been removed. Use “Go to …” to search.
			</Empty>
		);
	if (project === undefined)
		return (
			<Empty title="Issues belong to a project." isPage>
				<Link className="button button-primary" href={paths.projectAdd()}>
					Add a project
				</Link>
			</Empty>
		);
	return <ProjectIssues key={project.slug} project={project} />;
}

function ProjectIssues({ project }: { project: Project }) {
	const seen = useSeen();
	const [, go] = useLocation();
	const [query, setQuery] = useSearchParams();
	const [isAdding, setAdding] = useState(false);
	useNeeds({ boards: [project.slug] });
	const isTable = query.get("as") === "table";
	const all = seen.issues(project.slug);
	return (
		<div className="issues">
			<header className="page-header">
				<h1>Issues</h1>
				<select
					className="select"
					aria-label="Project"
					value={project.slug}
					onChange={({ target }) => go(paths.issues(ProjectSlug.parse(target.value)))}
				>
					{seen.projects.map(({ slug }) => (
						<option key={slug}>{slug}</option>
					))}
				</select>
				<AutoMode project={project} />
				<span className="spread" />
				<Button onClick={() => setQuery(isTable ? {} : { as: "table" })}>
					{isTable ? "Show board" : "Show table"}
				</Button>
				<Button kind="primary" onClick={() => setAdding(true)}>
					Add an issue
				</Button>
			</header>
			{all.length === 0 ? (
				<Empty title="No issues yet.">Add one: an agent works on it in its own branch, and you review it.</Empty>
			) : isTable ? (
				<Table issues={all} />
			) : (
				<Board project={project} boards={seen.boards(project.slug)} />
			)}
			{isAdding && <AddIssue project={project.slug} onClose={() => setAdding(false)} />}
		</div>
	);
}

function AutoMode({ project: { slug, auto } }: { project: Project }) {
	const act = useAct();
	const next = useSeen().nextIssueText(slug);
	const change = () =>
		act(
			"projectConfigure",
			{ params: { project: slug }, body: { auto: !auto } },
			`Automatic work is ${auto ? "off" : "on"}.`,
		);
	return (
		<>
			<Button onClick={change}>Automatic work: {auto ? "on" : "off"}</Button>
			<span className="meta issues-next" title={next}>
				{next}
			</span>
		</>
	);
}

function Table({ issues }: { issues: readonly Issue[] }) {
	return (
		<div className="page-table">
			<table className="table">
				<thead>
					<tr>
						<th scope="col">#</th>
						<th scope="col">Title</th>
						<th scope="col">Stage</th>
						<th scope="col">Agent</th>
						<th scope="col">Priority</th>
						<th scope="col">Labels</th>
						<th scope="col">Changed</th>
					</tr>
				</thead>
				<tbody>
					{issues.map((issue) => (
						<TableRow key={issue.number} issue={issue} />
					))}
				</tbody>
			</table>
		</div>
	);
}

function TableRow({ issue }: { issue: Issue }) {
	const { project, number, title, stage, assigneeHandle, priority, labels, updatedAt } = issue;
	const { attention, waiting, blockedBy } = issue;
	return (
		<tr>
			<td className="meta">{number}</td>
			<th scope="row">
				<Link href={paths.issue(project, number)}>{title}</Link>
				{waiting !== null && <span className="tone-wait"> ▤ {waitingTexts[waiting]}</span>}
				{blockedBy.length > 0 && <span className="meta"> {blockedText(blockedBy)}</span>}
				{attention !== null && <span className="tone-wait"> ◆ {attention.reason}</span>}
			</th>
			<td>{stage}</td>
			<td>{assigneeHandle ?? "–"}</td>
			<td>{priority}</td>
			<td>{labels.join(", ")}</td>
			<td>
				<Age at={updatedAt} />
			</td>
		</tr>
	);
}
