// Everything that can be done to an agent. What is not possible now says why.
import { useState } from "react";
import { useLocation } from "wouter";
import type { Agent } from "#contract/wire.ts";
import { verbThatEndsHolds, whyNoFiles, whyNoStep, whyNot } from "#views/agent-actions.ts";
import { useAct, useRead } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { paths } from "../../ui/paths.ts";
import { CommitDialog } from "./commit-dialog.tsx";
import { ForkDialog } from "./fork-dialog.tsx";
import { KillDialog } from "./kill-dialog.tsx";
import { ReasonDialog } from "./reason-dialog.tsx";
import { SyncDialog, useSync } from "./sync-dialog.tsx";

type Open = "fork" | "kill" | "commit" | "delete" | "clear" | "pause" | "interrupt" | null;

export function AgentControls({ agent }: { agent: Agent }) {
	const act = useAct();
	const [open, setOpen] = useState<Open>(null);
	const [diverged, setDiverged] = useState<string | null>(null);
	const params = { agent: agent.id };
	const isHeld = agent.holds.length > 0;
	const verb = isHeld ? verbThatEndsHolds(agent) : "pause";
	const names = { pause: "Pause", resume: "Resume", recover: "Recover" };
	return (
		<div className="bar">
			<Button why={whyNot(agent, verb)} onClick={() => act(verb, { params, body: {} })}>
				{names[verb]}
			</Button>
			<Button why={whyNot(agent, "interrupt")} onClick={() => act("interrupt", { params, body: {} })}>
				Interrupt
			</Button>
			<Button kind="primary" why={whyNot(agent, "fork")} onClick={() => setOpen("fork")}>
				Fork
			</Button>
			<More agent={agent} onOpen={setOpen} onDiverged={setDiverged} />
			{open === "fork" && <ForkDialog agent={agent} at={null} onClose={() => setOpen(null)} />}
			{(open === "kill" || open === "delete") && <KillDialog agent={agent} verb={open} onClose={() => setOpen(null)} />}
			{open === "clear" && (
				<Confirm
					title={`Clear the context of ${agent.handle}?`}
					verb="Clear"
					run={() => act("clear", { params, body: {} }, "Context cleared")}
					onClose={() => setOpen(null)}
				>
					Its next turn starts without what was said before. The conversation stays readable here.
				</Confirm>
			)}
			{(open === "pause" || open === "interrupt") && (
				<ReasonDialog agent={agent} verb={open} onClose={() => setOpen(null)} />
			)}
			{open === "commit" && <CommitDialog agent={agent} onClose={() => setOpen(null)} />}
			{diverged !== null && <SyncDialog agent={agent} message={diverged} onClose={() => setDiverged(null)} />}
		</div>
	);
}

/** What only git knows of the agent's files: asked for when the menu opens. */
function useFound(agent: Agent, openings: number): { isDamaged: boolean; whyNoCommit: string | null } {
	const isAsked = openings > 0 && whyNoFiles(agent) === null;
	const health = useRead("health", isAsked ? { params: { agent: agent.id } } : null, openings);
	const progress = useRead("progress", isAsked ? { query: { agent: agent.id } } : null, openings);
	const isClean = progress.data?.[0]?.branchStatus?.uncommitted === false;
	return {
		isDamaged: health.data?.healthy === false,
		whyNoCommit: isClean ? `${agent.handle} has nothing to commit.` : null,
	};
}

interface MoreProps {
	agent: Agent;
	onOpen(open: Open): void;
	onDiverged(message: string): void;
}

function More({ agent, onOpen, onDiverged }: MoreProps) {
	const act = useAct();
	const sync = useSync(agent, onDiverged);
	const [, go] = useLocation();
	const params = { agent: agent.id };
	const [openings, setOpenings] = useState(0);
	const found = useFound(agent, openings);
	const entries: readonly (readonly [string, string | null, () => unknown])[] = [
		["Review and approve …", whyNoStep(agent, "approve"), () => go(paths.review(agent.id))],
		["Commit …", whyNoStep(agent, "commit") ?? found.whyNoCommit, () => onOpen("commit")],
		["Sync with base", whyNoStep(agent, "sync"), sync],
		["Pause", whyNot(agent, "pause"), () => act("pause", { params, body: {} })],
		["Pause with a reason …", whyNot(agent, "pause"), () => onOpen("pause")],
		["Interrupt with a reason …", whyNot(agent, "interrupt"), () => onOpen("interrupt")],
		["Resume", whyNot(agent, "resume"), () => act("resume", { params, body: {} })],
		[
			"Recover",
			found.isDamaged ? whyNoStep(agent, "recover") : whyNot(agent, "recover"),
			() => act("recover", { params, body: {} }),
		],
		["Clear the context …", whyNot(agent, "rewind"), () => onOpen("clear")],
		["Kill …", whyNot(agent, "kill"), () => onOpen("kill")],
		["Delete …", whyNot(agent, "delete"), () => onOpen("delete")],
		["Reap", whyNot(agent, "reap"), () => act("reap", { params, body: {} })],
	];
	const id = `more-${agent.id}`;
	return (
		<>
			<button type="button" className="button more-button" popoverTarget={id} aria-label="More actions">
				⋯
			</button>
			<div
				id={id}
				popover="auto"
				className="menu"
				onBeforeToggle={({ newState }) => newState === "open" && setOpenings(openings + 1)}
			>
				{entries.map(([name, why, run]) => (
					<button
						key={name}
						type="button"
						className="menu-item"
						aria-disabled={why !== null}
						popoverTarget={why === null ? id : undefined}
						// a dialog that it opens has closed the menu already
						popoverTargetAction="hide"
						onClick={() => why === null && void run()}
					>
						<span>{name}</span>
						{why !== null && <span className="menu-why">{why}</span>}
					</button>
				))}
			</div>
		</>
	);
}
