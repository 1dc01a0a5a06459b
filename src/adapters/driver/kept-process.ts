// A process that is kept for its agent's next turn, and whether it fits that turn.
import type { AgentState } from "#contract/agent.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { ProcessRequest } from "#engine/ports/driver.ts";
import type { SandboxMounts } from "../system/mounts.ts";
import type { Launched } from "./acp/launch.ts";
import type { AgentProgram } from "./programs.ts";

export interface KeptProcess {
	/** what it was started as */
	type: string;
	program: AgentProgram;
	launched: Launched;
	token: string;
	/** the subscription that it was started with */
	subscription: string | null;
	settings: LaunchSettings;
	mounts: SandboxMounts | null;
	/** its processes before its first turn; null for a program that leaves nothing behind, and before that turn */
	programPids: ReadonlySet<number> | null;
}

export interface StartRequest extends ProcessRequest {
	mounts: SandboxMounts | null;
}

/** Whether a running process can be reused: same subscription, and the conversation that the journal has. */
export function isReusable(
	kept: KeptProcess,
	{ agent, program, request }: { agent: AgentState; program: AgentProgram; request: StartRequest },
): boolean {
	if (kept.type !== agent.type) return false;
	if (JSON.stringify(kept.mounts) !== JSON.stringify(request.mounts)) return false;
	// a process started with another subscription would be billed to that one
	if (kept.subscription !== subscriptionIdentity(request.subscription)) return false;
	if (program.keepsSession !== true) return true;
	const settings = launchSettings(agent, program, request);
	const inStep = request.own?.resumable === true || program.keepsInterrupted === true;
	return (
		inStep &&
		JSON.stringify(kept.settings) === JSON.stringify(settings) &&
		kept.launched.session?.sessionId === request.own?.sessionId
	);
}

interface LaunchSettings {
	model: string | null;
	mode: string | null;
	systemPrompt: string | null;
	options: Readonly<Record<string, string>>;
}

/** Our own programs need no settings: they read the agent's. */
export const launchSettings = (
	{ model, policy }: AgentState,
	{ keepsSession, modes }: AgentProgram,
	{ systemPrompt, options }: ProcessRequest,
): LaunchSettings =>
	keepsSession === true
		? { model, mode: modes?.[policy] ?? null, systemPrompt, options }
		: { model: null, mode: null, systemPrompt: null, options: {} };

/** Other credentials count like another subscription. */
export const subscriptionIdentity = (subscription: SubscriptionState | null): string | null =>
	subscription === null ? null : `${subscription.name} ${JSON.stringify(subscription.credential)}`;
