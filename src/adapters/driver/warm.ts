// A process that is up and waits for its agent's next turn, and whether it can go on with that.
import type { AgentState } from "#contract/agent.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { Wish } from "#engine/driver.ts";
import type { Room } from "../system/mounts.ts";
import type { Launched } from "./acp/launch.ts";
import type { AgentProgram } from "./programs.ts";

export interface Warm {
	/** what it was started as */
	program: AgentProgram;
	launched: Launched;
	token: string;
	/** whose slot it was started on */
	subscription: string | null;
	/** what it was told to use and to be */
	told: Told;
	/** what it may see and change */
	room: Room | null;
	/** its processes before its first turn; null for a program that leaves nothing behind, and before that turn */
	own: ReadonlySet<number> | null;
}

export interface RoomWish extends Wish {
	room: Room | null;
}

/** Whether a process that is up can go on: let in by the same subscription, with the conversation that the journal has. */
export function fits(warm: Warm, { agent, program, wish }: { agent: AgentState; program: AgentProgram; wish: RoomWish }): boolean {
	if (JSON.stringify(warm.room) !== JSON.stringify(wish.room)) return false;
	// one that was let in by another subscription would go on at the expense of that one
	if (warm.subscription !== nameOf(wish.subscription)) return false;
	if (program.remembers !== true) return true;
	const told = toldOf(agent, program, wish);
	const inStep = wish.own?.afresh === true || program.keepsInterrupted === true;
	return inStep && JSON.stringify(warm.told) === JSON.stringify(told) && warm.launched.session?.session === wish.own?.session;
}

interface Told {
	model: string | null;
	mode: string | null;
	systemPrompt: string | null;
	options: Readonly<Record<string, string>>;
}

/** Our own programs are told nothing: they know whose they are. */
export const toldOf = ({ model, policy }: AgentState, { remembers, modes }: AgentProgram, { systemPrompt, options }: Wish): Told =>
	remembers === true ? { model, mode: modes?.[policy] ?? null, systemPrompt, options } : { model: null, mode: null, systemPrompt: null, options: {} };

export const nameOf = (subscription: SubscriptionState | null): string | null => subscription?.name ?? null;
