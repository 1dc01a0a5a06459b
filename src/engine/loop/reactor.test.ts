import { expect, test } from "vitest";
import type { Event } from "#contract/event.ts";
import { human } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { Publisher } from "./publish.ts";
import { startReactor } from "./reactor.ts";

const event = (id: number, kind: string): Event => ({
	...{ id, agent: null, turn: null, kind, text: null, data: null },
	...{ at: 0, actor: human, command: "c" },
});

test("a reactor is shown every event, also those after one that wakes it, and looks once", async () => {
	const publisher = new Publisher(limits);
	const shown: number[] = [];
	const looked = Promise.withResolvers<void>();
	let looks = 0;
	await using _ = await startReactor(
		{
			name: "notes",
			wakes: ({ id, kind }) => shown.push(id) > 0 && kind === "agent.ended",
			look: async () => {
				if (++looks === 2) looked.resolve();
				return "done";
			},
		},
		publisher,
	);
	publisher.publish([event(1, "agent.ended"), event(2, "git.ran"), event(3, "agent.ended")]);
	await looked.promise;
	expect([shown, looks]).toEqual([[1, 2, 3], 2]);
});
