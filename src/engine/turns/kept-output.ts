// The output of open turns that is in no item yet. Each node keeps that of its turns beside the rows, so that it is not
// lost when another node ends them.
import type { Envelope } from "#contract/command.ts";
import { dataOf } from "#contract/event-data.ts";
import type { TurnState } from "#contract/turn.ts";
import type { Partials } from "../ports/blobs.ts";
import type { CommandRequest, Outcome } from "../ports/dispatch.ts";
import { caught, type Log } from "../ports/log.ts";
import type { Reads } from "../ports/store.ts";

export type Output = NonNullable<Envelope["partials"]>;

interface KeptOutputParts {
	reads: Pick<Reads, "openTurns">;
	partials?: Partials | null;
	log: Log;
}

/** What the turns that a command may end have kept. A turn ends also if that cannot be read. */
export async function keptOutput(
	{ reads, partials = null, log }: KeptOutputParts,
	ends: (turn: TurnState) => boolean,
): Promise<Output> {
	if (partials === null) return {};
	const turns = (await reads.openTurns()).filter(ends);
	const failed = caught(log, "turns", "The output of a turn that is being ended could not be read");
	const found = turns.map(async ({ id }) => [id, (await partials.kept(id).catch(failed)) ?? []] as const);
	return Object.fromEntries((await Promise.all(found)).filter(([, outputs]) => outputs.length > 0));
}

/** Drops what was kept, once it is in items. */
export async function dropUsed({ partials, log }: KeptOutputParts, kept: Output, outcome: Outcome): Promise<void> {
	if ("refused" in outcome) return;
	const ended = outcome.events.flatMap((event) => dataOf(event, "turn.ended")?.turn ?? []);
	for (const turn of ended.filter((id) => id in kept))
		await partials?.drop(turn).catch(caught(log, "turns", "Output that was recorded could not be removed"));
}

/** A dispatch that gives `node.fall` what the turns of that node had produced, so that they end with it. */
export const dispatchWithKeptOutput =
	(parts: KeptOutputParts, dispatch: (request: CommandRequest) => Promise<Outcome>) =>
	async (request: CommandRequest): Promise<Outcome> => {
		const { command } = request;
		if (command.type !== "node.fall") return await dispatch(request);
		const kept = await keptOutput(parts, ({ node }) => node === command.node);
		const outcome = await dispatch({ ...request, partials: kept });
		await dropUsed(parts, kept, outcome);
		return outcome;
	};
