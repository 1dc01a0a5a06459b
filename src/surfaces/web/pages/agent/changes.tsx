// How the agent's files differ: from base now, or at the end of a turn.
import { useState } from "react";
import type { Agent } from "#contract/wire.ts";
import type { Diff } from "#contract/workspace.ts";
import { whyNoFiles } from "#views/agent-actions.ts";
import { type Read, useRead, useSeen } from "../../store/hooks.ts";
import { Counts, DiffView } from "../../ui/diff.tsx";
import { Empty, Loading, RefusedNotice } from "../../ui/notice.tsx";

export function Changes({ agent, turn }: { agent: Agent; turn: number | null }) {
	const why = whyNoFiles(agent);
	if (why !== null) return <Empty title={why} />;
	return turn === null ? <Now agent={agent} /> : <AtTurn agent={agent} turn={turn} />;
}

function Now({ agent }: { agent: Agent }) {
	// files change in turns and in git steps
	const again = `${agent.turn?.id ?? ""}${agent.lease ?? ""}${agent.lastActiveAt}`;
	const read = useRead("diff", { params: { agent: agent.id } }, again);
	return <DiffRead read={read} title={`against ${agent.workspace?.base?.slice(0, 12) ?? "base"}`} />;
}

function AtTurn({ agent, turn }: { agent: Agent; turn: number }) {
	const params = { agent: agent.id };
	const snapshots = useRead("snapshots", { params }, useSeen().turns(agent.id).length);
	const [isWhole, setWhole] = useState(false);
	const at = snapshots.data?.findIndex((each) => each.turn === turn) ?? -1;
	const [taken, before] = [snapshots.data?.[at], snapshots.data?.[at + 1]];
	const against = isWhole || before === undefined || at === -1 ? undefined : before.id;
	const input = taken && { params: { ...params, snapshot: taken.id }, query: { against } };
	const read = useRead("snapshot", input ?? null);
	if (snapshots.state === "loading") return <Loading what="the snapshots" />;
	if (snapshots.state === "failed") return <RefusedNotice refusal={snapshots.refusal} />;
	if (taken === undefined)
		return (
			<Empty title="No snapshot was taken at this turn.">
				Snapshots are taken when a turn ends with changed files, and they expire.
			</Empty>
		);
	const than = against === undefined ? `commit ${taken.head?.slice(0, 12) ?? "none"}` : `snapshot ${against} before it`;
	return (
		<>
			<label className="check side-title">
				<input type="checkbox" checked={isWhole} onChange={(event) => setWhole(event.target.checked)} /> everything that
				was not committed
			</label>
			<DiffRead read={read} title={`snapshot ${taken.id}, after turn ${turn}, against ${than}`} />
		</>
	);
}

function DiffRead({ read, title }: { read: Read<Diff>; title: string }) {
	if (read.data === undefined)
		return read.state === "failed" ? <RefusedNotice refusal={read.refusal} /> : <Loading what="the diff" />;
	const { files, patch, truncated } = read.data;
	const total = (of: "added" | "deleted"): number => files.reduce((sum, file) => sum + (file[of] ?? 0), 0);
	return (
		<>
			<p className="side-title meta">
				{files.length} {files.length === 1 ? "file" : "files"}{" "}
				<Counts added={total("added")} deleted={total("deleted")} /> {title}
			</p>
			{files.length === 0 ? <Empty title="Nothing differs." /> : <DiffView patch={patch} truncated={truncated} />}
		</>
	);
}
