// Markdown as React elements, straight from the lexer's tokens: HTML stays text, images are never loaded.
import type { Token, Tokens } from "marked";
import { memo, type ReactNode, useRef } from "react";
import { withCharacters } from "../store/entities.ts";
import { Code } from "./code.tsx";
import { GrowingMarkdown, inlineTokensOf, safeHref, tokensOf } from "./markdown-blocks.ts";

export const Markdown = memo(function Markdown({ text }: { text: string }) {
	return <Prose tokens={tokensOf(text)} text={text} />;
});

/** One line of it, without blocks. */
export function InlineMarkdown({ text }: { text: string }) {
	return inlineTokensOf(text)?.map(spanOf) ?? text;
}

/** Of a message that is being written. */
export function LiveMarkdown({ text }: { text: string }) {
	const growing = useRef<GrowingMarkdown>(null);
	growing.current ??= new GrowingMarkdown();
	return <Prose tokens={growing.current.tokens(text)} text={text} />;
}

function Prose({ tokens, text }: { tokens: readonly Token[] | null; text: string }) {
	if (tokens === null) return <pre className="plain">{text}</pre>;
	return <div className="prose">{tokens.map((token, at) => blockOf(token, at))}</div>;
}

function blockOf(token: Token, key: number): ReactNode {
	switch (token.type) {
		case "space":
		// its links have its address already
		case "def":
			return null;
		case "checkbox":
			return <Checkbox key={key} isDone={token["checked"] === true} />;
		case "heading":
			return (
				<p key={key} className={`prose-heading prose-h${Math.min(Number(token["depth"]), 3)}`}>
					{inlineOf(token)}
				</p>
			);
		case "paragraph":
		case "text":
			return <p key={key}>{inlineOf(token)}</p>;
		case "code":
			return <Code key={key} text={String(token["text"])} language={String(token["lang"] ?? "")} />;
		case "blockquote":
			return <blockquote key={key}>{(token["tokens"] ?? []).map(blockOf)}</blockquote>;
		case "list":
			return (
				<List key={key} items={token["items"]} start={token["ordered"] === true ? Number(token["start"]) : null} />
			);
		case "table":
			return <Table key={key} header={token["header"]} rows={token["rows"]} />;
		case "hr":
			return <hr key={key} />;
		default:
			return <p key={key}>{token.raw}</p>;
	}
}

/** `start` is null where items have no numbers. */
function List({ items, start }: { items: readonly Tokens.ListItem[]; start: number | null }) {
	const rows = items.map(({ tokens, task }, at) => (
		// biome-ignore lint/suspicious/noArrayIndexKey: items of a text have no identity
		<li key={at} className={task ? "prose-task" : undefined}>
			{tokens.map((token, inner) => (token.type === "text" ? inlineOf(token) : blockOf(token, inner)))}
		</li>
	));
	return start === null ? <ul>{rows}</ul> : <ol start={start}>{rows}</ol>;
}

function Checkbox({ isDone }: { isDone: boolean }) {
	return (
		<span role="img" aria-label={isDone ? "done" : "to do"}>
			{isDone ? "☑ " : "☐ "}
		</span>
	);
}

function Table({
	header,
	rows,
}: {
	header: readonly Tokens.TableCell[];
	rows: readonly (readonly Tokens.TableCell[])[];
}) {
	const cells = (row: readonly Tokens.TableCell[], Cell: "th" | "td") =>
		row.map((cell, at) => (
			// biome-ignore lint/suspicious/noArrayIndexKey: cells have no identity
			<Cell key={at} style={{ textAlign: cell.align ?? undefined }}>
				{inlineOf(cell)}
			</Cell>
		));
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
		<div className="prose-table" role="group" aria-label="Table" tabIndex={0}>
			<table>
				<thead>
					<tr>{cells(header, "th")}</tr>
				</thead>
				<tbody>
					{rows.map((row, at) => (
						// biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity
						<tr key={at}>{cells(row, "td")}</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

function inlineOf(token: { tokens?: Token[] | undefined; text?: string; raw?: string }): ReactNode {
	return token.tokens === undefined ? (token.text ?? token.raw ?? "") : token.tokens.map(spanOf);
}

function spanOf(token: Token, key: number): ReactNode {
	switch (token.type) {
		case "strong":
			return <strong key={key}>{inlineOf(token)}</strong>;
		case "em":
			return <em key={key}>{inlineOf(token)}</em>;
		case "del":
			return <del key={key}>{inlineOf(token)}</del>;
		case "codespan":
			return <code key={key}>{String(token["text"])}</code>;
		case "br":
			return <br key={key} />;
		case "checkbox":
			return <Checkbox key={key} isDone={token["checked"] === true} />;
		case "link":
			return <Anchor key={key} token={token} />;
		case "escape":
			return <span key={key}>{String(token["text"])}</span>;
		case "text":
			return <span key={key}>{"tokens" in token ? inlineOf(token) : withCharacters(String(token["text"]))}</span>;
		default:
			return <span key={key}>{token.raw}</span>;
	}
}

function Anchor({ token }: { token: Token }) {
	const href = safeHref(withCharacters(String("href" in token ? token["href"] : "")));
	if (href === null) return <span>{token.raw}</span>;
	return (
		<a href={href} target="_blank" rel="noreferrer noopener" className="link">
			{inlineOf(token)}
		</a>
	);
}
