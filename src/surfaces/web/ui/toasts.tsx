import { useSyncExternalStore } from "react";
import { dismiss, subscribeToasts, toasts } from "../store/toasts.ts";

/** `after`: without those up to this one. */
export function Toasts({ after = 0 }: { after?: number }) {
	const list = useSyncExternalStore(subscribeToasts, toasts).filter(({ id }) => id > after);
	return (
		<div className="toasts" role="log" aria-live="polite" aria-label="Messages">
			{list.map(({ id, tone, text, code, suggestions = [] }) => (
				<div key={id} className={`toast toast-${tone}`}>
					<div className="toast-text">
						{code !== undefined && <span className={`mono tone-${tone}`}>{code} </span>}
						{text}
						{suggestions.map((command) => (
							<code key={command} className="toast-command">
								{command}
							</code>
						))}
					</div>
					<button type="button" className="icon-button" aria-label="Dismiss" onClick={() => dismiss(id)}>
						✕
					</button>
				</div>
			))}
		</div>
	);
}
