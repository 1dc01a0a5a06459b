// What sandboxed workspaces borrow from the project: `refs/brood/borrows/<agent>/<name>`. Borrowed objects are not
// copied, so these refs protect them from garbage collection in the project, ours or the person's.
//
//   start     the commit that the workspace began at, and for a fork the snapshot that it came from
//   base      the tip of base when it was last brought in
//   restored  the last restored snapshot, whose index may name otherwise unreachable objects
import type { Git } from "../run/git.ts";

export type BorrowName = "start" | "base" | "restored";

export interface AgentBorrows {
	agent: string;
	refs: { ref: string; commit: string }[];
}

const borrowRefs = "refs/brood/borrows";

export const borrowRef = (agent: string, name: BorrowName): string => {
	if (!/^[\w-]{1,64}$/.test(agent)) throw new Error(`${JSON.stringify(agent)} is not an id of an agent`);
	return `${borrowRefs}/${agent}/${name}`;
};

/** Replaces the refs that are given; others stay. */
export async function keepBorrowed(
	git: Git,
	repository: string,
	agent: string,
	kept: Partial<Record<BorrowName, string | null>>,
): Promise<void> {
	const names: readonly BorrowName[] = ["start", "base", "restored"];
	const lines = names.flatMap((name) =>
		kept[name] == null ? [] : [`update ${borrowRef(agent, name)}\0${kept[name]}\0\0`],
	);
	if (lines.length > 0) await git(repository, ["update-ref", "-z", "--stdin"], { input: lines.join("") });
}

/** All borrows by agent. Snapshots, imported tips (`refs/brood/work`) and merges have refs of their own. */
export async function borrowedBy(git: Git, repository: string): Promise<AgentBorrows[]> {
	const { text } = await git(repository, ["for-each-ref", "--format=%(objectname) %(refname)", borrowRefs]);
	const found = new Map<string, AgentBorrows>();
	for (const line of text.split("\n")) {
		const [, commit, ref, agent] = /^(\w+) (refs\/brood\/borrows\/([\w-]+)\/\w+)$/.exec(line) ?? [];
		if (commit === undefined || ref === undefined || agent === undefined) continue;
		const borrower = found.get(agent) ?? { agent, refs: [] };
		borrower.refs.push({ ref, commit });
		found.set(agent, borrower);
	}
	return [...found.values()];
}

export async function releaseBorrowed(git: Git, repository: string, { refs }: AgentBorrows): Promise<void> {
	const input = refs.map(({ ref, commit }) => `delete ${ref}\0${commit}\0`).join("");
	if (input !== "") await git(repository, ["update-ref", "-z", "--stdin"], { input });
}
