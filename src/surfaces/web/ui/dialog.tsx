// A native dialog: the browser traps the focus, closes it on Escape and gives the focus back.
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { lastToast } from "../store/toasts.ts";
import { Form } from "./form.tsx";
import { Toasts } from "./toasts.tsx";

interface DialogProps {
	title: string;
	onClose(): void;
	children: ReactNode;
	/** at the bottom, right-aligned */
	actions?: ReactNode;
	wide?: boolean;
	/** at the top: it does not move while its height changes */
	isAtTop?: boolean;
}

export function Dialog({ title, onClose, children, actions, wide = false, isAtTop = false }: DialogProps) {
	const element = useRef<HTMLDialogElement>(null);
	const [opened] = useState(lastToast);
	useEffect(() => {
		const dialog = element.current;
		dialog?.showModal();
		// the browser would choose the button that closes it
		const first = dialog?.querySelector<HTMLElement>(":is(input, textarea, select):not([disabled])");
		first?.focus();
		// a menu from which it was opened closes after this, and gives the focus back
		const timer = setTimeout(() => first?.focus());
		return () => clearTimeout(timer);
	}, []);
	// in time: a dialog that is removed before it is closed gives the focus back to nobody
	useLayoutEffect(() => {
		const dialog = element.current;
		return () => dialog?.close();
	}, []);
	return (
		<dialog
			ref={element}
			className={`dialog${wide ? " dialog-wide" : ""}${isAtTop ? " dialog-top" : ""}`}
			aria-label={title}
			onClose={onClose}
			onPointerDown={(event) => {
				// a press on the backdrop is a press on the dialog itself
				if (event.target === element.current) element.current.close();
			}}
		>
			<Form className="dialog-body">
				<header className="dialog-header">
					<h2>{title}</h2>
					<span className="spread" />
					<button type="button" className="icon-button" aria-label="Close" onClick={() => element.current?.close()}>
						✕
					</button>
				</header>
				{children}
				{actions !== undefined && <footer className="dialog-actions">{actions}</footer>}
				{/* what is outside cannot be reached while it is open */}
				<Toasts after={opened} />
			</Form>
		</dialog>
	);
}
