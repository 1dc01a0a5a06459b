// What takes how much room on the disk.
import type { HomeSpace } from "#contract/space.ts";
import { placeOf } from "#engine/stay.ts";
import type { Desk, Handlers } from "../desk.ts";

export function spaceHandlers(desk: Desk, home: () => Promise<HomeSpace>): Handlers<"space"> {
	return {
		space: async () => {
			const workspaces = desk.engine.cycle?.workspaces;
			const projects = workspaces === undefined ? [] : (await desk.reads.projects()).filter(({ removedAt }) => removedAt === null);
			// one after another: each of them walks through all of its files; a repository that is gone takes no room
			const found = [];
			for (const project of projects) {
				const space = await workspaces?.space(placeOf(project)).catch(() => null);
				if (space != null) found.push(space);
			}
			return { home: await home(), projects: found };
		},
	};
}
