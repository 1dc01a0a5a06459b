// What a page shows when it has nothing to show: empty, loading, refused, broken. Always with what to do next.
import type { ReactNode } from "react";
import type { Refusal } from "#contract/refusal.ts";

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
	return (
		<div className="notice">
			<h2 className="notice-title">{title}</h2>
			{children !== undefined && <div className="notice-text">{children}</div>}
		</div>
	);
}

/** Bars where the rows will be; nothing moves when they come. */
export function Loading({ what, rows = 6 }: { what: string; rows?: number }) {
	return (
		<div className="loading" role="status" aria-label={`Loading ${what}`}>
			{Array.from({ length: rows }, (_, at) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
				<div key={at} className={`loading-bar loading-${at % 3}`} />
			))}
		</div>
	);
}

export function RefusedNotice({ refusal, children }: { refusal: Refusal; children?: ReactNode }) {
	return (
		<div className="notice notice-bad" role="alert">
			<h2 className="notice-title">
				<span className="mono role-bad">{refusal.code}</span> {refusal.message}
			</h2>
			{refusal.suggestions.map((command) => (
				<code key={command} className="notice-command">
					{command}
				</code>
			))}
			{children}
		</div>
	);
}
