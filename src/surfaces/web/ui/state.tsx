// The state of an agent: shape and word carry it without colour.
import type { Agent } from "#contract/wire.ts";
import { stateOf, styleOf } from "#views/agent-text.ts";

export function StateGlyph({ agent }: { agent: Agent }) {
	const { glyph, role } = styleOf(agent);
	const word = stateOf(agent);
	return (
		<span className={`glyph role-${role}`} role="img" aria-label={word} title={word}>
			{glyph}
		</span>
	);
}

export function StateWord({ agent }: { agent: Agent }) {
	const { glyph, role } = styleOf(agent);
	return (
		<span className={`state-word role-${role}`}>
			<span aria-hidden="true">{glyph}</span> {stateOf(agent)}
		</span>
	);
}
