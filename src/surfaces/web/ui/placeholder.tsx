// What a page shows when it has nothing to show: empty, loading, refused.
import type { ReactNode } from "react";
import type { Refusal } from "#contract/refusal.ts";
import { Button } from "./button.tsx";

/** `isPage`: there is nothing else on the page. */
export function Empty({ title, isPage = false, children }: { title: string; isPage?: boolean; children?: ReactNode }) {
	const Title = isPage ? "h1" : "h2";
	return (
		<div className="notice">
			<Title className="notice-title">{title}</Title>
			{children !== undefined && <div className="notice-text">{children}</div>}
		</div>
	);
}

/** Bars where the rows will be; nothing moves when they come. */
export function Loading({ what, rows = 6, isPage = false }: { what: string; rows?: number; isPage?: boolean }) {
	return (
		<div className="loading" role="status" aria-label={`Loading ${what}`}>
			{isPage && <h1 className="sr-only">Loading {what}</h1>}
			{Array.from({ length: rows }, (_, at) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
				<div key={at} className={`loading-bar loading-${at % 3}`} />
			))}
		</div>
	);
}

interface RefusedPlaceholderProps {
	refusal: Refusal;
	/** what the refusal is about, where that is not all of the page or panel */
	title?: string;
	isPage?: boolean;
	/** does again what was refused */
	again?(): unknown;
}

export function RefusedPlaceholder({ refusal, title, isPage = false, again }: RefusedPlaceholderProps) {
	const Title = isPage ? "h1" : "h2";
	return (
		<div className="notice notice-bad" role="alert">
			<Title className="notice-title">
				{title !== undefined && <span className="notice-about">{title} </span>}
				<span className="mono tone-bad">{refusal.code}</span> {refusal.message}
			</Title>
			{refusal.suggestions.map((command) => (
				<code key={command} className="notice-command">
					{command}
				</code>
			))}
			{again !== undefined && <Button onClick={again}>Try again</Button>}
		</div>
	);
}
