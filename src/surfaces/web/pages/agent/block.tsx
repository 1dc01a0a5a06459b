// One block of a conversation.
import { type ReactNode, useContext, useLayoutEffect, useRef, useState } from "react";
import { actorName } from "#views/agent-text.ts";
import { summaryOf } from "#views/call-result.ts";
import { type Block, callWords, insideOf } from "#views/conversation.ts";
import { withSenders } from "#views/mail-senders.ts";
import { planLine, planSteps } from "#views/plan.ts";
import { useSeen } from "../../store/hooks.ts";
import { firstLineOf } from "../../store/last-line.ts";
import { ActorName } from "../../ui/actor-name.tsx";
import { CodeBox } from "../../ui/code-box.tsx";
import { Counts } from "../../ui/diff.tsx";
import { DiffText } from "../../ui/diff-text.tsx";
import { InlineMarkdown, Markdown } from "../../ui/markdown.tsx";
import { ForkHere } from "./fork-here.tsx";
import { hitIn, SoughtWords } from "./sought-words.ts";

/** Which collapsible blocks are open: rows that are scrolled away forget it otherwise. */
const opened = new Set<number>();

interface BlockProps {
	block: Block;
	folder: string | null;
	/** the end of what a running call has printed */
	output: string | null;
	/** it was searched for: it is shown whole */
	isSought: boolean;
}

export function BlockView(props: BlockProps) {
	const { block } = props;
	const inherited = block.isInherited ? " block-inherited" : "";
	return (
		<div className={`block block-${block.kind}${inherited}${block.bad ? " block-bad" : ""}`}>
			<Body key={props.isSought ? "sought" : "any"} {...props} />
			<ForkHere item={block.lastItem} />
		</div>
	);
}

function Body(props: BlockProps) {
	const { block, isSought } = props;
	const { id, kind, text, author } = block;
	switch (kind) {
		case "prompt":
			return <Prompt from={author} text={text} isSought={isSought} />;
		case "message":
			return <Markdown text={text} />;
		case "thought":
			return (
				<Collapsible id={id} isSought={isSought} head={<span className="meta clip">Thought: {firstLineOf(text)}</span>}>
					<Markdown text={text} />
				</Collapsible>
			);
		case "plan":
			return block.isOutdated ? (
				<Collapsible id={id} isSought={isSought} head={<span className="meta clip">Earlier {planLine(text)}</span>}>
					<Plan text={text} />
				</Collapsible>
			) : (
				<div className="plan">
					<span className="meta">Plan</span>
					<Plan text={text} />
				</div>
			);
		case "call":
			return <Call {...props} />;
		default:
			return (
				<p className="meta note clip">
					{author !== "" && <ActorName actor={author} />} {text}
				</p>
			);
	}
}

function Prompt({ from, text, isSought }: { from: string; text: string; isSought: boolean }) {
	const seen = useSeen();
	const nameOf = (actor: string): string => actorName(actor, (id) => seen.agent(id));
	return (
		<div className="prompt">
			{from !== "" && (
				<span className="meta">
					from <ActorName actor={from} />
				</span>
			)}
			<LongText text={withSenders(text, nameOf)} isSought={isSought} />
		</div>
	);
}

function Plan({ text }: { text: string }) {
	return (
		<ul>
			{planSteps(text).map(({ state, mark, text: step }, at) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: steps have no identity
				<li key={at} className={state === "in_progress" ? "tone-run" : state === "completed" ? "meta" : ""}>
					<span aria-hidden="true">{mark}</span> <span className="sr-only">{state.replaceAll("_", " ")}: </span>
					<InlineMarkdown text={step} />
				</li>
			))}
		</ul>
	);
}

function Call({ block, folder, output, isSought }: BlockProps) {
	const { id, tool, text, result, bad } = block;
	// the result of an edit says only that it was made
	const change = bad ? null : block.change;
	const words = callWords(tool === "" ? "tool" : tool, insideOf(folder, text));
	const head = (
		<>
			<span className="call-tool">{words.tool}</span>
			<span className="mono clip call-title">{words.title}</span>
			<span className="spread" />
			{change === null || result === null ? <Outcome block={block} /> : <Counts {...change} />}
		</>
	);
	return (
		<Collapsible id={id} isSought={isSought} head={head}>
			{text.length > 100 && (
				<CodeBox label="Tool call" className="call-whole">
					{text}
				</CodeBox>
			)}
			{change !== null ? (
				<DiffText text={change.lines.join("\n")} />
			) : (
				result !== null && <Output text={insideOf(folder, result.text)} isSought={isSought} />
			)}
			{output !== null && <CodeBox label="Output">{insideOf(folder, output)}</CodeBox>}
		</Collapsible>
	);
}

function Outcome({ block: { result, bad } }: { block: Block }) {
	const summary = result === null ? null : summaryOf(result);
	return (
		<>
			<span className={bad ? "tone-bad clip call-summary" : "meta clip call-summary"}>
				{summary === null ? "running …" : bad && summary.line === "" ? "failed" : summary.line}
			</span>
			{summary !== null && summary.count > 1 && <span className="meta call-count">{summary.count} lines</span>}
		</>
	);
}

function Output({ text, isSought }: { text: string; isSought: boolean }) {
	if (/^(diff --git |@@ -|--- a\/)/m.test(text)) return <DiffText text={text} />;
	return <LongText text={text} isSought={isSought} isCode />;
}

/** so much of a text is shown before somebody asks for all of it */
const shownMax = 12_000;

function LongText({ text, isSought, isCode = false }: { text: string; isSought: boolean; isCode?: boolean }) {
	const [isWhole, setWhole] = useState(isSought);
	const shown = isWhole ? text : text.slice(0, shownMax);
	return (
		<>
			{isCode ? (
				<CodeBox label="Output">{isSought ? <WithHit text={shown} /> : shown}</CodeBox>
			) : (
				<pre className="plain">{shown}</pre>
			)}
			{shown.length < text.length && (
				<button type="button" className="button button-quiet" onClick={() => setWhole(true)}>
					Show all {text.length.toLocaleString()} characters
				</button>
			)}
		</>
	);
}

/** A text with what was searched for marked, and scrolled to in its box. */
function WithHit({ text }: { text: string }) {
	const hit = hitIn(text, useContext(SoughtWords));
	const mark = useRef<HTMLElement>(null);
	const from = hit?.from ?? null;
	useLayoutEffect(() => {
		const box = mark.current?.parentElement;
		if (from === null || mark.current === null || !box) return;
		box.scrollTop += mark.current.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 2;
	}, [from]);
	if (hit === null) return text;
	return (
		<>
			{text.slice(0, hit.from)}
			<mark ref={mark} className="hit">
				{text.slice(hit.from, hit.to)}
			</mark>
			{text.slice(hit.to)}
		</>
	);
}

interface CollapsibleProps {
	id: number;
	isSought: boolean;
	head: ReactNode;
	children: ReactNode;
}

function Collapsible({ id, isSought, head, children }: CollapsibleProps) {
	const [isOpen, setOpen] = useState(isSought || opened.has(id));
	return (
		<details
			className="collapsible"
			open={isOpen}
			onToggle={(event) => {
				const next = event.currentTarget.open;
				if (next) opened.add(id);
				else opened.delete(id);
				setOpen(next);
			}}
		>
			<summary>{head}</summary>
			{isOpen && <div className="collapsible-body">{children}</div>}
		</details>
	);
}
