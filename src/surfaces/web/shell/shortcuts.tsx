import { Dialog } from "../ui/dialog.tsx";
import { navEntries } from "./nav-entries.ts";

const everywhere: readonly (readonly [string, string])[] = [
	["⌘K or Ctrl K", "Go to an agent, a page or an action"],
	["?", "Show this list"],
	["g then a letter", "Go to a page"],
	["n", "Go to the next agent that needs you, unless a question is chosen"],
];
const inLists: readonly (readonly [string, string])[] = [
	["j, k or ↓, ↑", "Next or previous row"],
	["Enter", "Open the row"],
	["y, n, a", "Inbox: allow, deny, always allow the question chosen with j or k"],
	["←, →", "Tree: collapse or expand an agent"],
	["x", "Tree: select an agent for comparison"],
	["[, ]", "Agent: previous or next turn"],
	["p", "Agent: write a prompt"],
];

export function Shortcuts({ onClose }: { onClose(): void }) {
	return (
		<Dialog title="Shortcuts" onClose={onClose}>
			<KeyList title="Everywhere" keys={everywhere} />
			<KeyList title="Pages" keys={navEntries.map(({ key, name }) => [`g ${key}`, name])} />
			<KeyList title="Lists" keys={inLists} />
		</Dialog>
	);
}

function KeyList({ title, keys }: { title: string; keys: readonly (readonly [string, string])[] }) {
	return (
		<section className="key-list">
			<h3>{title}</h3>
			<dl>
				{keys.map(([key, what]) => (
					<div key={key}>
						<dt>
							<kbd>{key}</kbd>
						</dt>
						<dd>{what}</dd>
					</div>
				))}
			</dl>
		</section>
	);
}
