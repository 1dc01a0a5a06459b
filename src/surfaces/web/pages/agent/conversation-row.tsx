import { memo } from "react";
import { Link } from "wouter";
import type { AgentId } from "#contract/ids.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { Delta } from "#contract/stream.ts";
import type { Agent } from "#contract/wire.ts";
import { useSeen, useStore } from "../../store/hooks.ts";
import { clockOf } from "../../ui/age.tsx";
import { LiveMarkdown } from "../../ui/markdown.tsx";
import { paths } from "../../ui/paths.ts";
import { RefusedPlaceholder } from "../../ui/placeholder.tsx";
import { BlockView } from "./block.tsx";
import { type ConversationRow, whenOf } from "./conversation-rows.ts";

interface ConversationRowProps {
	row: ConversationRow;
	agent: Agent;
	/** the turn that is selected */
	selected: number | null;
	/** it was searched for */
	isSought: boolean;
}

export const ConversationRowView = memo(function ConversationRowView(props: ConversationRowProps) {
	const { row, agent, selected, isSought } = props;
	const when = whenOf(row, selected);
	return (
		<div className={isSought ? "when-selected" : when === null ? undefined : `when-${when}`}>
			<Content row={row} agent={agent} when={when} isSought={isSought} />
		</div>
	);
});

interface ContentProps {
	row: ConversationRow;
	agent: Agent;
	when: ReturnType<typeof whenOf>;
	isSought: boolean;
}

function Content({ row, agent, when, isSought }: ContentProps) {
	switch (row.row) {
		case "block": {
			const { block, output } = row;
			return <BlockView {...{ block, output, isSought }} folder={agent.workspace?.path ?? null} />;
		}
		case "unread":
			return <Unread agent={agent} refusal={row.refusal} />;
		case "origin":
			return <Origin of={row.of} agent={agent} />;
		case "turn":
			return (
				<div className="turn-line">
					<Link
						href={paths.agentAt(row.of ?? agent.id, row.turn)}
						className="meta"
						aria-current={when === "selected" ? "true" : undefined}
					>
						turn {row.turn} · {clockOf(row.at)}
						{when !== null && ` · ${when}`}
					</Link>
				</div>
			);
		default:
			return <Live message={row.message} />;
	}
}

function Unread({ agent: { id }, refusal }: { agent: Agent; refusal: Refusal }) {
	const { conversations } = useStore();
	return (
		<RefusedPlaceholder
			title="Earlier items could not be read."
			refusal={refusal}
			again={() => conversations.older(id)}
		/>
	);
}

function Origin({ of, agent }: { of: AgentId | null; agent: Agent }) {
	const seen = useSeen();
	if (of === null) return <p className="origin">From here on, {agent.handle}'s own.</p>;
	const { lineage } = agent;
	return (
		<p className="origin">
			Inherited from <Link href={paths.agent(of)}>{seen.agent(of)?.handle ?? of}</Link>
			{lineage?.agent === of && ` up to item ${lineage.forkPoint}`}
		</p>
	);
}

function Live({ message: { kind, text } }: { message: Delta }) {
	return (
		<div className={kind === "thought" ? "block block-thought block-live" : "block block-live"} aria-live="off">
			<LiveMarkdown text={text} />
		</div>
	);
}
