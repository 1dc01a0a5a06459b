// The state of an agent: shape and word carry it without colour.
import type { Agent } from "#contract/wire.ts";
import { stateOf } from "#views/agent-text.ts";
import { styleOf } from "#views/state-style.ts";
import { withLocalTimes } from "./age.tsx";

/** The state in words, with its reason. */
export const stateText = (agent: Agent): string => withLocalTimes(stateOf(agent));

export function StateGlyph({ agent }: { agent: Agent }) {
	const { glyph, tone } = styleOf(agent);
	const word = stateText(agent);
	return (
		<span className={`glyph tone-${tone}`} role="img" aria-label={word} title={word}>
			{glyph}
		</span>
	);
}

export function StateWord({ agent }: { agent: Agent }) {
	const { glyph, tone } = styleOf(agent);
	return (
		<span className={`state-word tone-${tone}`}>
			<span aria-hidden="true">{glyph}</span> {stateText(agent)}
		</span>
	);
}

/** Prompts that wait, and unread mail, in words: fonts do not have the terminal's symbols everywhere. */
export function Counters({ agent: { queueLength, unreadMail } }: { agent: Agent }) {
	const words = [queueLength > 0 && `${queueLength} queued`, unreadMail > 0 && `${unreadMail} ✉`].filter(Boolean);
	return <span className="meta counters">{words.join(" · ")}</span>;
}
