// The agent types to choose from, with what is missing before one can run.
import type { VendorAgent } from "#contract/wire.ts";

const own = [
	{ type: "llm", title: "Brood's own agent on any model" },
	{ type: "shell", title: "shell: the prompt is a command" },
	{ type: "scripted", title: "scripted: needs no key, for trying things out" },
	{ type: "human", title: "human: stands for a person" },
];

/** `current` is offered too, though it may be none of these. */
export function AgentTypeOptions({ vendors, current = "" }: { vendors: readonly VendorAgent[]; current?: string }) {
	const isListed = current === "" || [...vendors, ...own].some(({ type }) => type === current);
	return (
		<>
			{!isListed && <option value={current}>{current}</option>}
			{vendors.map(({ type, title, installed, loggedIn }) => (
				<option key={type} value={type}>
					{title}
					{installed === null ? " (not installed)" : loggedIn ? "" : " (no login found)"}
				</option>
			))}
			{own.map(({ type, title }) => (
				<option key={type} value={type}>
					{title}
				</option>
			))}
		</>
	);
}
