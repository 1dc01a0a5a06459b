// Beside the conversation: files, queue, mail, workspace, audit.
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

export function Side({ agent, turn, tab, onTab }: SideProps) {
	const shown =
		tabs.find((each) => each === tab) ?? (agent.queueLength > 0 && agent.workspace === null ? "Queue" : "Changes");
	const counts: Readonly<Record<string, number>> = { Queue: agent.queueLength, Mail: agent.unreadMail };
	return (
		<section className="side" aria-label="Details">
			<div className="tabs" role="tablist" aria-label="Details">
				{tabs.map((name) => (
					<button
						key={name}
						type="button"
						role="tab"
						id={`tab-${name}`}
						className="tab"
						aria-selected={name === shown}
						aria-controls="side-panel"
						onClick={() => onTab(name)}
					>
						{name}
						{(counts[name] ?? 0) > 0 && <span className="badge">{counts[name]}</span>}
					</button>
				))}
			</div>
			<div id="side-panel" className="side-panel" role="tabpanel" aria-labelledby={`tab-${shown}`}>
				{shown === "Changes" && <Changes agent={agent} turn={turn} />}
				{shown === "Queue" && <QueuePanel agent={agent} />}
				{shown === "Mail" && <MailPanel agent={agent} />}
				{shown === "Workspace" && <WorkspacePanel agent={agent} />}
				{shown === "Audit" && <Audit agent={agent} />}
			</div>
		</section>
	);
}
