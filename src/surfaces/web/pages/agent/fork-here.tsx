// "Fork from here", on every block: the dialog belongs to the page, so that it survives scrolling.
import { createContext, useContext } from "react";
import { Icon } from "../../ui/icon.tsx";

export const ForkAt = createContext<((item: number) => void) | null>(null);

/** `item`: the last one that the child inherits. */
export function ForkHere({ item }: { item: number }) {
	const fork = useContext(ForkAt);
	if (fork === null) return null;
	return (
		<button type="button" className="fork-here" aria-label={`Fork from item ${item}`} onClick={() => fork(item)}>
			<Icon name="fork" />
		</button>
	);
}
