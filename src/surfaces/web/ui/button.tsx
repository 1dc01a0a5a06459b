// A button that is never just grey: where an action is not possible, it says why.
import { type ReactNode, type Ref, useState } from "react";
import { toast } from "../store/toasts.ts";

interface ButtonProps {
	children: ReactNode;
	onClick(): unknown;
	/** why it is not possible now; null if it is */
	why?: string | null | undefined;
	kind?: "plain" | "primary" | "danger" | "quiet";
	/** for a button that shows only a symbol */
	label?: string;
	/** what the button is about, for screen readers: several on a page have the same word */
	about?: string;
	keys?: string;
	title?: string | undefined;
	/** a primary button is pressed by Enter in its form */
	type?: "button" | "submit";
	ref?: Ref<HTMLButtonElement>;
}

export function Button({
	children,
	onClick,
	why = null,
	kind = "plain",
	label,
	about,
	keys,
	title,
	type,
	ref,
}: ButtonProps) {
	const [isBusy, setBusy] = useState(false);
	const press = async (): Promise<void> => {
		if (why !== null) toast({ tone: "wait", text: why });
		if (why !== null || isBusy) return;
		setBusy(true);
		try {
			await onClick();
		} finally {
			setBusy(false);
		}
	};
	// focusable although disabled, so that a keyboard reaches the reason too
	return (
		<button
			ref={ref}
			type={type ?? (kind === "primary" ? "submit" : "button")}
			className={`button button-${kind}`}
			aria-disabled={why !== null || isBusy}
			aria-busy={isBusy}
			aria-label={label === undefined ? undefined : why === null ? label : `${label}: ${why}`}
			title={why ?? title}
			onClick={() => void press()}
		>
			{children}
			{about !== undefined && <span className="sr-only"> {about}</span>}
			{keys !== undefined && <Keys keys={keys} />}
			{why !== null && label === undefined && <span className="sr-only">: {why}</span>}
		</button>
	);
}

/** Screen readers announce shortcuts elsewhere. */
function Keys({ keys }: { keys: string }) {
	return (
		<span aria-hidden="true">
			<kbd>{keys}</kbd>
		</span>
	);
}
