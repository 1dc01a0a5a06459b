// How each state looks: a symbol that works without colour, and the role of its colour. Every surface uses these.
import type { Label } from "#contract/agent.ts";

/** A colour's meaning; each surface picks its own shade. */
export const roles = ["run", "wait", "bad", "ok", "off"] as const;
export type Role = (typeof roles)[number];

export interface StateStyle {
	glyph: string;
	role: Role;
}

export const stateStyles: Readonly<Record<Label, StateStyle>> = {
	running: { glyph: "●", role: "run" },
	idle: { glyph: "○", role: "off" },
	init: { glyph: "◌", role: "off" },
	checkout: { glyph: "◌", role: "off" },
	done: { glyph: "◐", role: "ok" },
	paused: { glyph: "‖", role: "wait" },
	error: { glyph: "✗", role: "bad" },
	dead: { glyph: "·", role: "off" },
	deleted: { glyph: "·", role: "off" },
};

/** The style of an agent that waits for an answer, whatever its label. */
export const asksYou: StateStyle = { glyph: "◆", role: "wait" };
