// How each state looks: a symbol that works without colour, and the tone of its colour. Every surface uses these.
import type { Label } from "#contract/agent.ts";
import type { Agent } from "#contract/wire.ts";

/** A colour's meaning; each surface picks its own shade. */
export const tones = ["run", "wait", "bad", "ok", "off"] as const;
export type Tone = (typeof tones)[number];

export interface StateStyle {
	glyph: string;
	tone: Tone;
}

export const stateStyles: Readonly<Record<Label, StateStyle>> = {
	running: { glyph: "●", tone: "run" },
	idle: { glyph: "○", tone: "off" },
	init: { glyph: "◌", tone: "off" },
	checkout: { glyph: "◌", tone: "off" },
	done: { glyph: "◐", tone: "ok" },
	paused: { glyph: "‖", tone: "wait" },
	error: { glyph: "✗", tone: "bad" },
	dead: { glyph: "·", tone: "off" },
	deleted: { glyph: "·", tone: "off" },
};

/** The style of an agent that waits for an answer, whatever its label. */
const asksYou: StateStyle = { glyph: "◆", tone: "wait" };

/** Whether a person is at work, who has to say when the work is done. */
export const isHumanAgentsTurn = ({ type, turn }: Pick<Agent, "type" | "turn">): boolean =>
	type === "human" && turn !== null;

/** Whether its turn waits for a person. */
export const waitsForYou = (agent: Pick<Agent, "type" | "turn">): boolean =>
	agent.turn?.phase === "approval" || isHumanAgentsTurn(agent);

export const styleOf = (agent: Agent): StateStyle => (waitsForYou(agent) ? asksYou : stateStyles[agent.label]);
