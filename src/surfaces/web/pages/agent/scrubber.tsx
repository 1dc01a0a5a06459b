// Time travel: the turns of an agent on one line. Selecting one marks it in the conversation, scrolls to it,
// and shows what it changed in the working tree.

import { useEffect, useEffectEvent, useRef, useState } from "react";
import { counted } from "#contract/counted.ts";
import type { Agent, Turn } from "#contract/wire.ts";
import { whyNot } from "#views/agent-actions.ts";
import { isFree } from "../../shell/keyboard.ts";
import { type Read, useAct, useRead, useSeen } from "../../store/hooks.ts";
import { clockOf } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { RefusedNote } from "../../ui/refused-note.tsx";
import { ForkDialog } from "./fork-dialog.tsx";
import { turnsAround } from "./turns-around.ts";

interface ScrubberProps {
	agent: Agent;
	turns: readonly Turn[];
	turn: number | null;
	/** what the address names instead of one of them */
	unknown: number | null;
	/** of the turns from before the page was opened */
	read: Read<unknown>;
	onSelect(turn: number | null): void;
}

export function Scrubber({ agent, turns, turn, unknown, read, onSelect }: ScrubberProps) {
	const at = turns.findIndex(({ id }) => id === turn);
	const [isForking, setForking] = useState(false);
	const isFirst = at === 0;
	const step = (by: number): void => {
		if (by < 0 && isFirst) return;
		const next = turn === null ? (by < 0 ? turns.length - 1 : -1) : at + by;
		onSelect(turns[next]?.id ?? null);
	};
	useKeys(step);
	if (unknown !== null)
		return (
			<div className="scrubber">
				<span className="meta scrub-words">
					turn {unknown} is not one of {agent.handle}'s turns
				</span>
				<Button kind="quiet" onClick={() => onSelect(null)}>
					Back to now
				</Button>
			</div>
		);
	if (turns.length === 0 && read.state !== "failed") return null;
	const selected = turns[at];
	return (
		<div className="scrubber">
			<Button
				kind="quiet"
				label="Previous turn"
				why={isFirst ? "This is the first turn." : null}
				onClick={() => step(-1)}
			>
				◀
			</Button>
			<Dots turns={turns} turn={turn} onSelect={onSelect} />
			<Button
				kind="quiet"
				label="Next turn"
				why={turn === null ? "This is the newest turn." : null}
				onClick={() => step(1)}
			>
				▶
			</Button>
			<span className="meta scrub-words">
				{selected === undefined
					? `${counted(turns.length, "turn")} · now`
					: `turn ${selected.id} (${at + 1} of ${turns.length}) · ${clockOf(selected.startedAt)} · ${selected.state}`}
			</span>
			<RefusedNote read={read} what="Earlier turns" />
			<Retry agent={agent} turn={selected ?? turns.at(-1)} />
			{selected !== undefined && (
				<>
					<Button why={forkRefusal(agent, selected)} onClick={() => setForking(true)}>
						Fork from here
					</Button>
					<Button kind="quiet" onClick={() => onSelect(null)}>
						Back to now
					</Button>
				</>
			)}
			{isForking && selected?.finalItem != null && (
				<ForkDialog agent={agent} at={selected.finalItem} onClose={() => setForking(false)} />
			)}
		</div>
	);
}

/** For a turn that was interrupted or failed, once. */
function Retry({ agent, turn }: { agent: Agent; turn: Turn | undefined }) {
	const act = useAct();
	if (turn === undefined || turn.retriedAs !== null || (turn.state !== "interrupted" && turn.state !== "failed"))
		return null;
	const retry = () =>
		act("turnRetry", { params: { agent: agent.id, turn: String(turn.id) } }, `The prompt of turn ${turn.id} is queued`);
	return (
		<Button why={whyNot(agent, "prompt")} title="Run its prompt again, before the queue" onClick={retry}>
			Retry turn {turn.id}
		</Button>
	);
}

const forkRefusal = (agent: Agent, { finalItem }: Turn): string | null =>
	whyNot(agent, "fork") ??
	(finalItem === null ? "This turn has no final item: fork from an item in it instead." : null);

/** Those of before the page was opened, and those that the stream told since. */
export function useTurns(agent: Agent): { turns: readonly Turn[]; read: Read<readonly Turn[]> } {
	const seen = useSeen();
	const read = useRead("turns", { params: { agent: agent.id } });
	const all = new Map([...(read.data ?? []), ...seen.turns(agent.id)].map((turn) => [turn.id, turn]));
	return { turns: [...all.values()].toSorted((a, b) => a.id - b.id), read };
}

function Dots({
	turns,
	turn,
	onSelect,
}: {
	turns: readonly Turn[];
	turn: number | null;
	onSelect(turn: number): void;
}) {
	const shown = turnsAround(turns, turn);
	const line = useRef<HTMLUListElement>(null);
	const inView = turn ?? shown.at(-1)?.id;
	// biome-ignore lint/correctness/useExhaustiveDependencies: another turn is to be in view
	useEffect(() => {
		const dots = line.current;
		const dot = dots?.querySelector("[aria-pressed=true]") ?? dots?.lastElementChild;
		dot?.scrollIntoView({ block: "nearest", inline: "nearest" });
	}, [inView, shown.length]);
	return (
		<ul ref={line} className="scrub-line" aria-label="Turns">
			{shown.map((each) => (
				<TurnDot key={each.id} turn={each} isSelected={each.id === turn} onSelect={onSelect} />
			))}
		</ul>
	);
}

const glyphs = { open: "●", completed: "○", interrupted: "◌", failed: "✗" };

function TurnDot({ turn, isSelected, onSelect }: { turn: Turn; isSelected: boolean; onSelect(turn: number): void }) {
	const words = `Turn ${turn.id}, ${clockOf(turn.startedAt)}, ${turn.state}${turn.commit === null ? "" : ", committed"}`;
	return (
		<li>
			<button
				type="button"
				className={`turn-dot turn-${turn.state}`}
				aria-pressed={isSelected}
				aria-label={words}
				title={words}
				onClick={() => onSelect(turn.id)}
			>
				{turn.commit === null ? glyphs[turn.state] : "◆"}
			</button>
		</li>
	);
}

function useKeys(step: (by: number) => void): void {
	// always from the turn that is shown, however fast the keys come
	const press = useEffectEvent((event: KeyboardEvent): void => {
		if (!isFree(event)) return;
		if (event.key === "[") step(-1);
		if (event.key === "]") step(1);
	});
	useEffect(() => {
		const listen = (event: KeyboardEvent): void => press(event);
		addEventListener("keydown", listen);
		return () => removeEventListener("keydown", listen);
	}, []);
}
