// Beside the conversation: files, queue, mail, workspace, audit.
import type { KeyboardEvent } from "react";
import type { Agent } from "#contract/wire.ts";
import { Audit } from "./audit.tsx";
import { Changes } from "./changes.tsx";
import { MailPanel } from "./mail-panel.tsx";
import { QueuePanel } from "./queue-panel.tsx";
import { WorkspacePanel } from "./workspace-panel.tsx";

interface SideProps {
	agent: Agent;
	turn: number | null;
	tab: string | null;
	onTab(tab: string): void;
}

const tabs = ["Changes", "Queue", "Mail", "Workspace", "Audit"] as const;

/** The index of the tab that a key goes to; -1 for other keys. */
function tabAfter(key: string, at: number): number {
	const last = tabs.length - 1;
	if (key === "ArrowRight") return at === last ? 0 : at + 1;
	if (key === "ArrowLeft") return at === 0 ? last : at - 1;
	return key === "Home" ? 0 : key === "End" ? last : -1;
}

export function Side({ agent, turn, tab, onTab }: SideProps) {
	const shown =
		tabs.find((each) => each === tab) ?? (agent.queueLength > 0 && agent.workspace === null ? "Queue" : "Changes");
	const choose = (event: KeyboardEvent): void => {
		const next = tabs[tabAfter(event.key, tabs.indexOf(shown))];
		if (next === undefined) return;
		event.preventDefault();
		onTab(next);
		document.getElementById(`tab-${next}`)?.focus();
	};
	const counts: Readonly<Record<string, number>> = { Queue: agent.queueLength, Mail: agent.unreadMail };
	return (
		<section className="side" aria-label="Details">
			<div className="tabs" role="tablist" aria-label="Details" onKeyDown={choose}>
				{tabs.map((name) => (
					<button
						key={name}
						type="button"
						role="tab"
						id={`tab-${name}`}
						className="tab"
						aria-selected={name === shown}
						// one stop for all of them; the arrows choose
						tabIndex={name === shown ? 0 : -1}
						aria-controls="side-panel"
						onClick={() => onTab(name)}
					>
						{name}
						{(counts[name] ?? 0) > 0 && <span className="badge">{counts[name]}</span>}
					</button>
				))}
			</div>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
			<div id="side-panel" className="side-panel" role="tabpanel" tabIndex={0} aria-labelledby={`tab-${shown}`}>
				{shown === "Changes" && <Changes agent={agent} turn={turn} />}
				{shown === "Queue" && <QueuePanel agent={agent} />}
				{shown === "Mail" && <MailPanel agent={agent} />}
				{shown === "Workspace" && <WorkspacePanel agent={agent} />}
				{shown === "Audit" && <Audit key={agent.id} agent={agent} />}
			</div>
		</section>
	);
}
