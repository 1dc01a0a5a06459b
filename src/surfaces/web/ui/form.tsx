// Fields with a primary button, which Enter in a text field presses, as the browser does by itself.
import type { ReactNode } from "react";

export function Form({ className, children }: { className: string; children: ReactNode }) {
	return (
		<form className={className} onSubmit={(event) => event.preventDefault()}>
			{children}
		</form>
	);
}
