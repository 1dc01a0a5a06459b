// At a project's home node, where there are several: reads the project's file into its row as soon as other nodes may
// need it, and then now and then, so that its sites know what it said if this node is gone.
import type { Reactor } from "../loop/reactor.ts";
import type { Reads } from "../ports/store.ts";
import type { ProjectProblems } from "../workspaces/project-problems.ts";

interface Parts {
	reads: Pick<Reads, "nodes">;
	problems: Pick<ProjectProblems, "lookAtAll">;
}

const againMs = 60_000;
const wakers = ["project.added", "project.moved", "site.added", "node.joined"];

export function projectSettingsReactor({ reads, problems }: Parts): Reactor {
	return {
		name: "project settings",
		wakes: ({ kind }) => wakers.includes(kind),
		async look() {
			if ((await reads.nodes()).length < 2) return "done";
			await problems.lookAtAll();
			return { inMs: againMs };
		},
	};
}
