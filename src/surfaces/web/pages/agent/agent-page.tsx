import { useState } from "react";
import { useSearchParams } from "wouter";
import { AgentId } from "#contract/ids.ts";
import type { Agent } from "#contract/wire.ts";
import { useNeeds, useSeen } from "../../store/hooks.ts";
import { Empty, Loading } from "../../ui/placeholder.tsx";
import { AgentApprovals } from "./agent-approvals.tsx";
import { AgentHeader } from "./agent-header.tsx";
import { Conversation } from "./conversation.tsx";
import { ForkDialog } from "./fork-dialog.tsx";
import { ForkAt } from "./fork-here.tsx";
import { PromptBox } from "./prompt-box.tsx";
import { Scrubber, useTurns } from "./scrubber.tsx";
import { Side } from "./side.tsx";
import { SoughtWords } from "./sought-words.ts";

export function AgentPage({ params }: { params: Readonly<Record<string, string>> }) {
	const seen = useSeen();
	const id = AgentId.safeParse(params["agent"]);
	const agent = id.success ? seen.agent(id.data) : undefined;
	// one that was reaped comes with its conversation; for the others this would come after what their page asks for
	useNeeds({ threads: id.success && agent === undefined ? [id.data] : [] });
	if (agent !== undefined) return <Known key={agent.id} agent={agent} />;
	if (!seen.isLoaded) return <Loading what="the agent" rows={12} isPage />;
	return (
		<Empty title="There is no such agent." isPage>
			It may be on another daemon. Use “Go to …” to search.
		</Empty>
	);
}

function Known({ agent }: { agent: Agent }) {
	useNeeds({ threads: [agent.id] });
	const [search, setSearch] = useSearchParams();
	const asked = Number(search.get("turn")) || null;
	const item = Number(search.get("item")) || null;
	const { turns, read } = useTurns(agent);
	const isUnknown = read.state === "ready" && asked !== null && turns.every(({ id }) => id !== asked);
	const turn = isUnknown ? null : asked;
	const [tab, setTab] = useState<string | null>(null);
	const [forkAt, setForkAt] = useState<number | null>(null);
	const select = (next: number | null): void =>
		setSearch(next === null ? {} : { turn: String(next) }, { replace: true });
	return (
		<div className="agent-page">
			<AgentHeader agent={agent} />
			<Scrubber
				agent={agent}
				turns={turns}
				turn={turn}
				unknown={isUnknown ? asked : null}
				read={read}
				onSelect={select}
			/>
			<div className="agent-body">
				<section className="agent-talk" aria-label="Conversation">
					<ForkAt value={setForkAt}>
						<SoughtWords value={search.get("words") ?? ""}>
							<Conversation agent={agent} turn={turn} item={item} />
						</SoughtWords>
					</ForkAt>
					<AgentApprovals agent={agent} />
					<PromptBox agent={agent} />
				</section>
				<Side agent={agent} turn={turn} tab={tab} onTab={setTab} />
			</div>
			{forkAt !== null && <ForkDialog agent={agent} at={forkAt} onClose={() => setForkAt(null)} />}
		</div>
	);
}
