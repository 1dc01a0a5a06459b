// What an issue waits for: shown, added and removed.
import { useState } from "react";
import { Link } from "wouter";
import type { Issue } from "#contract/issue-wire.ts";
import { useAct, useSeen } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { paths } from "../../ui/paths.ts";

export function Dependencies({ issue, onDone }: { issue: Issue; onDone(): void }) {
	const act = useAct();
	const all = useSeen().issues(issue.project);
	const params = { issue: `${issue.project}#${issue.number}` };
	const remove = async (on: number): Promise<void> => {
		if ((await act("issueUndepend", { params: { ...params, on: String(on) } })) !== null) onDone();
	};
	return (
		<section className="panel" aria-labelledby="dependencies">
			<h2 id="dependencies" className="panel-title">
				Depends on <span className="panel-count">{issue.dependsOn.length}</span>
			</h2>
			<ul className="rows" aria-label="Dependencies">
				{issue.dependsOn.map((on) => {
					const found = all.find(({ number }) => number === on);
					const isOpen = issue.blockedBy.includes(on);
					return (
						<li key={on} className="row">
							<span className={isOpen ? "tone-wait" : "tone-ok"}>{isOpen ? "◌" : "✓"}</span>
							<Link href={paths.issue(issue.project, on)} className="clip">
								#{on} {found?.title}
							</Link>
							<span className="spread" />
							<span className="meta">{found?.stage}</span>
							<Button kind="quiet" label={`Remove the dependency on #${on}`} onClick={() => remove(on)}>
								×
							</Button>
						</li>
					);
				})}
			</ul>
			<AddDependency issue={issue} others={all} onDone={onDone} />
		</section>
	);
}

interface AddProps {
	issue: Issue;
	others: readonly Issue[];
	onDone(): void;
}

function AddDependency({ issue, others, onDone }: AddProps) {
	const act = useAct();
	const [on, setOn] = useState("");
	const able = others.filter(({ number }) => number !== issue.number && !issue.dependsOn.includes(number));
	const add = async (): Promise<void> => {
		const params = { issue: `${issue.project}#${issue.number}` };
		if ((await act("issueDepend", { params, body: { on: Number(on) } })) === null) return;
		setOn("");
		onDone();
	};
	if (able.length === 0) return <p className="meta panel-note">There are no other issues.</p>;
	return (
		<div className="bar panel-note">
			<select
				className="select issue-wide"
				aria-label="Add a dependency"
				value={on}
				onChange={({ target }) => setOn(target.value)}
			>
				<option value="">choose an issue</option>
				{able.map(({ number, title }) => (
					<option key={number} value={number}>
						#{number} {title}
					</option>
				))}
			</select>
			<Button why={on === "" ? "Choose an issue first." : null} onClick={add}>
				Add
			</Button>
		</div>
	);
}
