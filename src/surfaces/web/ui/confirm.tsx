// A question before something that cannot be taken back.
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

interface ConfirmProps {
	title: string;
	/** what it does, on the button */
	verb: string;
	/** answers null if it was refused: then the question stays */
	run(): Promise<unknown>;
	onClose(): void;
	children: ReactNode;
}

export function Confirm({ title, verb, run, onClose, children }: ConfirmProps) {
	const go = async (): Promise<void> => {
		if ((await run()) !== null) onClose();
	};
	return (
		<Dialog
			title={title}
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button kind="danger" onClick={go}>
						{verb}
					</Button>
				</>
			}
		>
			<p>{children}</p>
		</Dialog>
	);
}
