// What is kept over a restart of the terminal: unsent texts, where each conversation is read, and preferences. Several
// terminals share the file: each writes what it changed.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { AgentId } from "#contract/ids.ts";
import { Preferences, Saved } from "#contract/terminal-file.ts";
import type { State } from "./model.ts";
import { SharedDrafts } from "./shared-drafts.ts";

const listedMax = 2000;

export class SavedFile {
	readonly #home: string;
	/** as it was when it was read or written */
	#before: Saved;
	readonly saved: Saved;
	#isDamaged = false;
	readonly #drafts: SharedDrafts;

	constructor(home: string) {
		this.#home = home;
		this.saved = this.#read();
		this.#drafts = new SharedDrafts(this.saved);
		this.saved.drafts = this.#drafts.first;
		this.#before = structuredClone(this.saved);
	}

	/** What the terminal begins with. */
	restored(): Kept & Pick<State, "status"> {
		const { anchors, opened, viewed } = this.saved;
		return {
			anchors: new Map(
				Object.entries(anchors).flatMap(([id, anchor]) => {
					const agent = agentIn(id);
					return agent === null ? [] : [[agent, anchor]];
				}),
			),
			opened: new Set(opened),
			viewed: new Set(viewed),
			status: this.#isDamaged ? { text: damagedText, style: "bad" } : null,
		};
	}

	/** `isLeaving`: the terminal ends. */
	save(
		{ anchors, opened, viewed, last: [project, agent] }: Kept & { last: [string, AgentId] },
		isLeaving = false,
	): void {
		const { saved } = this;
		saved.anchors = Object.fromEntries([...anchors].flatMap(([id, at]) => (at === null ? [] : [[id, at]])));
		saved.opened = [...opened].slice(-listedMax);
		saved.viewed = [...viewed].slice(-listedMax);
		saved.last[project] = agent;
		try {
			mkdirSync(this.#home, { recursive: true, mode: 0o700 });
			const written = `${this.#file}.${process.pid}.new`;
			const other = this.#read();
			const all = {
				...merged(this.#before, saved, other),
				...this.#drafts.written(other, saved.drafts, isLeaving),
			};
			writeFileSync(written, `${JSON.stringify(all)}\n`, { mode: 0o600 });
			renameSync(written, this.#file);
			this.#before = structuredClone(saved);
		} catch {
			// a full disk: only conveniences are lost
		}
	}

	get #file(): string {
		return path.join(this.#home, "terminal.json");
	}

	#read(): Saved {
		try {
			return Saved.parse(JSON.parse(readFileSync(this.#file, "utf8")));
		} catch {
			this.#keepAside();
			return Saved.parse({});
		}
	}

	/** A file that cannot be read is not written over. */
	#keepAside(): void {
		try {
			renameSync(this.#file, `${this.#file}.damaged`);
			this.#isDamaged = true;
		} catch {
			// there is none yet, or nothing can be saved here
		}
	}
}

type Kept = Pick<State, "anchors" | "opened" | "viewed">;

/** Something that is kept has changed. */
export const mustBeSaved = (before: Kept, after: Kept): boolean =>
	before.anchors !== after.anchors || before.opened !== after.opened || before.viewed !== after.viewed;

const damagedText =
	"terminal.json was damaged and is now terminal.json.damaged: unsent texts and scroll positions are gone.";

/** What another terminal wrote, with what this one has changed since it read or wrote the file. */
function merged(before: Saved, own: Saved, other: Saved): Omit<Saved, "drafts" | "writing"> {
	return {
		edits: changed(before.edits, own.edits, other.edits),
		unanswered: changed(before.unanswered, own.unanswered, other.unanswered),
		anchors: changed(before.anchors, own.anchors, other.anchors),
		last: changed(before.last, own.last, other.last),
		opened: changedList(before.opened, own.opened, other.opened),
		viewed: changedList(before.viewed, own.viewed, other.viewed),
		preferences: Preferences.parse(changed(before.preferences, own.preferences, other.preferences)),
	};
}

function changedList<V>(before: readonly V[], own: readonly V[], other: readonly V[]): V[] {
	const added = own.filter((each) => !before.includes(each));
	const removed = new Set(before.filter((each) => !own.includes(each)));
	const kept = other.filter((each) => !removed.has(each) && !added.includes(each));
	return [...kept, ...added].slice(-listedMax);
}

function changed<V>(before: Record<string, V>, own: Record<string, V>, other: Record<string, V>): Record<string, V> {
	const isSame = (key: string): boolean => JSON.stringify(own[key]) === JSON.stringify(before[key]);
	const keys = [...new Set([...Object.keys(other), ...Object.keys(own)])];
	return Object.fromEntries(
		keys.flatMap((key) => {
			const value = isSame(key) ? other[key] : own[key];
			return value === undefined ? [] : [[key, value]];
		}),
	);
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
