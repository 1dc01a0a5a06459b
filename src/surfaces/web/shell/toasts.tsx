import { useSyncExternalStore } from "react";
import { dismiss, subscribeToasts, toasts } from "../store/toasts.ts";

export function Toasts() {
	const list = useSyncExternalStore(subscribeToasts, toasts);
	return (
		<div className="toasts" role="log" aria-live="polite" aria-label="Messages">
			{list.map(({ id, role, text, code, suggestions = [] }) => (
				<div key={id} className={`toast toast-${role}`}>
					<div className="toast-text">
						{code !== undefined && <span className={`mono role-${role}`}>{code} </span>}
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
