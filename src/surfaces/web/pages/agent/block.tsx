// One block of a conversation.
import { type ReactNode, useState } from "react";
import { actorName, withSenders } from "#views/agent-text.ts";
import { type Block, insideOf, summaryOf } from "#views/thread.ts";
import { useSeen } from "../../store/hooks.ts";
import { DiffText } from "../../ui/diff-text.tsx";
import { Markdown } from "../../ui/markdown.tsx";
import { ForkHere } from "./fork-here.tsx";

/** Which folded blocks are open: rows that are scrolled away forget it otherwise. */
const opened = new Set<number>();

export function BlockView({ block, folder }: { block: Block; folder: string | null }) {
	const inherited = block.isInherited ? " block-inherited" : "";
	return (
		<div className={`block block-${block.kind}${inherited}${block.bad ? " block-bad" : ""}`}>
			<Body block={block} folder={folder} />
			<ForkHere item={block.id} />
		</div>
	);
}

function Body({ block, folder }: { block: Block; folder: string | null }) {
	const { id, kind, text, label } = block;
	switch (kind) {
		case "prompt":
			return <Prompt from={label} text={text} />;
		case "message":
			return <Markdown text={text} />;
		case "thought":
			return (
				<Folded id={id} head={<span className="meta clip">Thought: {text.split("\n")[0]}</span>}>
					<Markdown text={text} />
				</Folded>
			);
		case "plan":
			return (
				<div className="plan">
					<span className="meta">Plan</span>
					<Markdown text={text} />
				</div>
			);
		case "call":
			return <Call block={block} folder={folder} />;
		default:
			return (
				<p className="meta note clip">
					{label !== "" && <ActorName actor={label} />} {text}
				</p>
			);
	}
}

/** The name of whoever wrote something: an agent by its handle. */
export function ActorName({ actor }: { actor: string }) {
	const seen = useSeen();
	return actorName(actor, (id) => seen.agent(id));
}

function Prompt({ from, text }: { from: string; text: string }) {
	const seen = useSeen();
	const nameOf = (actor: string): string => actorName(actor, (id) => seen.agent(id));
	return (
		<div className="prompt">
			{from !== "" && (
				<span className="meta">
					from <ActorName actor={from} />
				</span>
			)}
			<LongText text={withSenders(text, nameOf)} />
		</div>
	);
}

function Call({ block: { id, label, text, result, bad }, folder }: { block: Block; folder: string | null }) {
	const title = insideOf(folder, text);
	const summary = result === null ? null : summaryOf(result);
	const head = (
		<>
			<span className="call-tool">{label === "" ? "tool" : label}</span>
			<span className="mono clip call-title">{title}</span>
			<span className="spread" />
			<span className={bad ? "role-bad clip call-summary" : "meta clip call-summary"}>
				{summary === null ? "running …" : bad && summary.line === "" ? "failed" : summary.line}
			</span>
			{summary !== null && summary.count > 1 && <span className="meta">{summary.count} lines</span>}
		</>
	);
	return (
		<Folded id={id} head={head}>
			{text.length > 100 && <pre className="code">{text}</pre>}
			{result !== null && <Output text={insideOf(folder, result.text)} />}
		</Folded>
	);
}

function Output({ text }: { text: string }) {
	if (/^(diff --git |@@ -|--- a\/)/m.test(text)) return <DiffText text={text} />;
	return <LongText text={text} isCode />;
}

/** so much of a text is shown before somebody asks for all of it */
const shownMax = 12_000;

function LongText({ text, isCode = false }: { text: string; isCode?: boolean }) {
	const [isWhole, setWhole] = useState(false);
	const shown = isWhole ? text : text.slice(0, shownMax);
	return (
		<>
			<pre className={isCode ? "code" : "plain"}>{shown}</pre>
			{shown.length < text.length && (
				<button type="button" className="button button-quiet" onClick={() => setWhole(true)}>
					Show all {text.length.toLocaleString()} characters
				</button>
			)}
		</>
	);
}

function Folded({ id, head, children }: { id: number; head: ReactNode; children: ReactNode }) {
	const [isOpen, setOpen] = useState(opened.has(id));
	return (
		<details
			className="folded"
			open={isOpen}
			onToggle={(event) => {
				const next = event.currentTarget.open;
				if (next) opened.add(id);
				else opened.delete(id);
				setOpen(next);
			}}
		>
			<summary>{head}</summary>
			{isOpen && <div className="folded-body">{children}</div>}
		</details>
	);
}
