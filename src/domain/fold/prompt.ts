// What events do to prompts. A prompt's row is kept until its turn has ended.
import type { PromptState } from "#contract/prompt.ts";
import type { Changes, EventOf } from "./change.ts";

const named = (event: { data: { prompt: number } }): number[] => [event.data.prompt];

export const promptChanges = {
	"prompt.queued": { keys: ({ id }) => [id], make: queued },
	"prompt.edited": {
		keys: named,
		change: (row, { id, text, at, actor }) => ({ ...row, text, textEvent: id, editedBy: actor, editedAt: at }),
	},
	"prompt.moved": { keys: ({ data }) => data.positions.map(({ prompt }) => prompt), change: moved, ifThere: true },
	// its manual start was used up
	"prompt.returned": {
		keys: named,
		change: (row, { data }) => ({ ...row, position: data.position, manual: false, taken: null }),
	},
	"prompt.cancelled": { keys: ({ data }) => data.prompts, gone: true },
	"turn.started": { keys: named, change: (row, { id }) => ({ ...row, taken: id }) },
	"turn.ended": { keys: ({ data }) => (data.prompt === undefined ? [] : [data.prompt]), gone: true },
} satisfies Changes<"prompt">;

function queued({ id, agent, text, data, at, actor }: EventOf<"prompt.queued">): PromptState {
	const { position, source, priority = 0, notBefore = null, manual = false } = data;
	const { retries = null, metadata = null, from = null } = data;
	return {
		...{ id, agent, text, textEvent: id, position, priority, notBefore, manual, source, retries, metadata, from },
		...{ createdAt: at, createdBy: actor, editedBy: null, editedAt: null, taken: null },
	};
}

function moved(row: PromptState, { data }: EventOf<"prompt.moved">): PromptState {
	const to = data.positions.find(({ prompt }) => prompt === row.id);
	return to === undefined ? row : { ...row, position: to.position, priority: to.priority };
}
