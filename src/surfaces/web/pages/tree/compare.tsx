// Two agents side by side: where their conversations part, and how their files differ.

import { useState } from "react";
import { Link } from "wouter";
import { counted } from "#contract/counted.ts";
import type { AgentId } from "#contract/ids.ts";
import type { Agent } from "#contract/wire.ts";
import { divergence } from "#views/divergence.ts";
import { useAct, useRead, useSeen } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { DiffView } from "../../ui/diff.tsx";
import { paths } from "../../ui/paths.ts";
import { RefusedNote } from "../../ui/refused-note.tsx";
import { filesKey } from "../agent/files-key.ts";
import { ForkDialog } from "../agent/fork-dialog.tsx";

export function Compare({ selected, onClear }: { selected: readonly AgentId[]; onClear(): void }) {
	const seen = useSeen();
	const [one, other] = selected.map((id) => seen.agent(id));
	if (one === undefined) return null;
	if (other === undefined)
		return (
			<div className="compare" role="status">
				<span>
					<strong>{one.handle}</strong> is selected. Select another agent to compare them.
				</span>
				<span className="spread" />
				<Button kind="quiet" onClick={onClear}>
					Clear
				</Button>
			</div>
		);
	return <Two one={one} other={other} onClear={onClear} />;
}

function Two({ one, other, onClear }: { one: Agent; other: Agent; onClear(): void }) {
	const seen = useSeen();
	const [open, setOpen] = useState<"diff" | "fork" | null>(null);
	const part = divergence(one.id, other.id, (id) => seen.agent(id));
	const shared = part === null ? undefined : seen.agent(part.agent);
	const haveFiles = one.workspace !== null && other.workspace !== null && one.project === other.project;
	const params = { agent: one.id };
	const against = other.id;
	const again = `${filesKey(one)} ${filesKey(other)}`;
	const diff = useRead("diff", haveFiles ? { params, query: { against } } : null, again);
	const act = useAct();
	const files = diff.data?.total.files;
	const why = !haveFiles
		? "Only agents with workspaces in the same project can be compared."
		: diff.state === "failed"
			? diff.refusal.message
			: diff.state === "loading"
				? "The files are still being compared."
				: files === 0
					? "Their files do not differ."
					: null;
	return (
		<div className="compare" role="status">
			<span>
				<Link href={paths.agent(one.id)}>{one.handle}</Link> and{" "}
				<Link href={paths.agent(other.id)}>{other.handle}</Link>:{" "}
				{part === null
					? "no shared conversation"
					: `their conversations diverge after item ${part.item} of ${shared?.handle ?? part.agent}`}
				{files !== undefined && ` · ${counted(files, "file")} differ${files === 1 ? "s" : ""}`}
			</span>
			<RefusedNote read={diff} what="Their files" />
			<span className="spread" />
			<Button why={why} onClick={() => setOpen("diff")}>
				Diff
			</Button>
			<Button
				why={shared === undefined ? "Their conversations have no item in common." : null}
				onClick={() => setOpen("fork")}
			>
				Fork from there
			</Button>
			<Button kind="quiet" onClick={onClear}>
				Clear
			</Button>
			{open === "diff" && diff.data !== undefined && (
				<Dialog title={`${other.handle} → ${one.handle}`} onClose={() => setOpen(null)} wide>
					<DiffView diff={diff.data} ask={(part) => act("diff", { params, query: { against, ...part } })} />
				</Dialog>
			)}
			{open === "fork" && shared !== undefined && part !== null && (
				<ForkDialog agent={shared} at={part.item} onClose={() => setOpen(null)} />
			)}
		</div>
	);
}
