// How the agent's files differ: from base now, or at the end of a turn.
import { type ComponentProps, useEffect, useState } from "react";
import { counted } from "#contract/counted.ts";
import type { Agent } from "#contract/wire.ts";
import { CommitId, type Diff } from "#contract/workspace.ts";
import { whyNoFiles } from "#views/agent-actions.ts";
import { type Read, useAct, useRead, useSeen } from "../../store/hooks.ts";
import { Counts, DiffView } from "../../ui/diff.tsx";
import { Empty, Loading, RefusedPlaceholder } from "../../ui/placeholder.tsx";
import { filesKey } from "./files-key.ts";

export function Changes({ agent, turn }: { agent: Agent; turn: number | null }) {
	const why = whyNoFiles(agent);
	const rested = useRested(turn);
	if (why !== null) return <Empty title={why} />;
	if (rested !== turn) return <Loading what="the diff" />;
	return turn === null ? <Now agent={agent} /> : <AtTurn agent={agent} turn={turn} />;
}

/** so long somebody who walks through the turns stays at one to see it */
const restMs = 200;

/** The turn at which somebody rests: those that are only passed are not asked for. */
function useRested(turn: number | null): number | null {
	const [rested, setRested] = useState(turn);
	useEffect(() => {
		const timer = setTimeout(() => setRested(turn), restMs);
		return () => clearTimeout(timer);
	}, [turn]);
	return rested;
}

function Now({ agent }: { agent: Agent }) {
	const params = { agent: agent.id };
	const read = useRead("diff", { params }, filesKey(agent));
	const act = useAct();
	return (
		<DiffRead
			read={read}
			ask={(part) => act("diff", { params, query: part })}
			title={`against ${agent.workspace?.base ?? "base"}`}
		/>
	);
}

function AtTurn({ agent, turn }: { agent: Agent; turn: number }) {
	const params = { agent: agent.id };
	const snapshots = useRead("snapshots", { params }, useSeen().turns(agent.id).length);
	const [isWhole, setWhole] = useState(false);
	const at = snapshots.data?.findIndex((each) => each.turn === turn) ?? -1;
	const [taken, before] = [snapshots.data?.[at], snapshots.data?.[at + 1]];
	// the agent's first turn has none before it: what it committed is told from where its branch began
	const against = isWhole ? undefined : (before?.id ?? "start");
	const input = taken && { params: { ...params, snapshot: taken.id }, query: { against } };
	const read = useRead("snapshot", input ?? null);
	const act = useAct();
	if (snapshots.state === "loading") return <Loading what="the snapshots" />;
	if (snapshots.state === "failed") return <RefusedPlaceholder refusal={snapshots.refusal} again={snapshots.again} />;
	if (taken === undefined)
		return (
			<Empty title="No snapshot was taken at this turn.">
				Snapshots are taken when a turn ends with changed files, and they expire.
			</Empty>
		);
	const begin = against === undefined ? taken.head : read.data?.against;
	const beginText = CommitId.safeParse(begin).success ? `commit ${begin?.slice(0, 12)}` : (begin ?? "no commit");
	const than = before === undefined || against === undefined ? beginText : `snapshot ${before.id} before it`;
	return (
		<>
			<label className="check side-title">
				<input type="checkbox" checked={isWhole} onChange={(event) => setWhole(event.target.checked)} /> everything that
				was not committed
			</label>
			<DiffRead
				read={read}
				ask={(part) => act("snapshot", { ...input, query: { against, ...part } })}
				title={`snapshot ${taken.id}, after turn ${turn}, against ${than}`}
			/>
		</>
	);
}

interface DiffReadProps {
	read: Read<Diff>;
	ask: ComponentProps<typeof DiffView>["ask"];
	title: string;
}

function DiffRead({ read, ask, title }: DiffReadProps) {
	if (read.data === undefined)
		return read.state === "failed" ? (
			<RefusedPlaceholder refusal={read.refusal} again={read.again} />
		) : (
			<Loading what="the diff" />
		);
	const { total } = read.data;
	return (
		<>
			<p className="side-title meta">
				{counted(total.files, "file")} <Counts added={total.added} deleted={total.deleted} /> {title}
			</p>
			{total.files === 0 ? <Empty title="No changes." /> : <DiffView diff={read.data} ask={ask} />}
		</>
	);
}
