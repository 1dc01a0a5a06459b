// What is kept over a restart of the terminal: unsent texts, where each conversation is read, and preferences.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { AgentId } from "#contract/ids.ts";
import type { State } from "./model.ts";
import type { Anchor } from "./page.ts";

export interface Saved {
	drafts: Record<string, { text: string; cursor: { line: number; column: number } }>;
	anchors: Record<string, NonNullable<Anchor>>;
	/** the agent that was shown last, by project */
	last: Record<string, string>;
	/** files of diffs that were viewed, the last ones */
	viewed: string[];
	preferences: Preferences;
}

export interface Preferences {
	/** the mouse scrolls, opens and selects */
	mouse: boolean;
	/** goes to an agent that was forked or added, and away from one that was killed */
	follow: boolean;
}

const viewedMax = 2000;

const nothing = (): Saved => ({
	...{ drafts: {}, anchors: {}, last: {}, viewed: [], preferences: { mouse: true, follow: true } },
});
const fileIn = (home: string): string => path.join(home, "terminal.json");

/** A damaged file is as good as none: only conveniences are in it. */
export function load(home: string): Saved {
	try {
		const found: Partial<Saved> = JSON.parse(readFileSync(fileIn(home), "utf8"));
		const { preferences, ...rest } = found;
		return { ...nothing(), ...rest, preferences: { ...nothing().preferences, ...preferences } };
	} catch {
		return nothing();
	}
}

export function save(
	home: string,
	saved: Saved,
	{ anchors, viewed, last: [project, agent] }: { last: [string, AgentId] } & Pick<State, "anchors" | "viewed">,
): void {
	saved.anchors = Object.fromEntries([...anchors].flatMap(([id, at]) => (at === null ? [] : [[id, at]])));
	saved.viewed = [...viewed].slice(-viewedMax);
	saved.last[project] = agent;
	const file = fileIn(home);
	try {
		mkdirSync(home, { recursive: true, mode: 0o700 });
		writeFileSync(`${file}.new`, `${JSON.stringify(saved)}\n`, { mode: 0o600 });
		renameSync(`${file}.new`, file);
	} catch {
		// a full disk: only conveniences are lost
	}
}

/** No agent: the rows have not come yet. */
export const nobody = AgentId.parse("0".repeat(22));

export const agentIn = (text: string | undefined): AgentId | null => AgentId.safeParse(text).data ?? null;

/** what was typed is saved this long after the first key */
const saveMs = 500;

/** Saves a while after something has changed, once for all that changes meanwhile. */
export class DelayedSave {
	readonly #save: () => void;
	#timer: NodeJS.Timeout | null = null;

	constructor(save: () => void) {
		this.#save = save;
	}

	begin(): void {
		this.#timer ??= setTimeout(() => {
			this.#timer = null;
			this.#save();
		}, saveMs).unref();
	}
}

export const anchorsIn = ({ anchors }: Saved): Map<AgentId, Anchor> =>
	new Map(
		Object.entries(anchors).flatMap(([id, anchor]) => {
			const agent = agentIn(id);
			return agent === null ? [] : [[agent, anchor]];
		}),
	);
