import type { ReactNode } from "react";

/** Text as it is, in a box that scrolls when it has to. */
export function CodeBox({
	label,
	className = "",
	children,
}: {
	label: string;
	className?: string;
	children: ReactNode;
}) {
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
		<pre className={`code ${className}`} tabIndex={0} role="group" aria-label={label}>
			{children}
		</pre>
	);
}
