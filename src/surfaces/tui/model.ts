// What the screen shows and where its reader is. Pure data: `update.ts` changes it, `screen.ts` draws it.
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { Inbox, TreeRow } from "#contract/overviews.ts";
import type { Delta } from "#contract/stream.ts";
import type { Agent, Approval, Mail, Prompt, Subscription, Turn } from "#contract/wire.ts";
import type { Block } from "#views/conversation.ts";
import type { Style } from "#views/paint.ts";
import type { Anchor } from "./page.ts";
import type { Draft } from "./pi/draft.ts";

/** What the daemon says, as the mirror has it. */
export interface Seen {
	connection: "connecting" | "live" | "lost" | "stopped";
	/** why, while it is lost because the daemon refuses to answer */
	refusal: string | null;
	/** why no daemon could be found or started since it is lost */
	problem: string | null;
	/** that of the directory */
	project: ProjectSlug | null;
	/** the directory is in a git repository */
	isRepository: boolean;
	/**
	 * the agents of the directory's project and agent 0, each before those below it; all agents without a project. For
	 * the project of the current agent: `treeAround`
	 */
	tree: readonly TreeRow[];
	/** the agents of all projects */
	everywhere: readonly TreeRow[];
	agents: ReadonlyMap<AgentId, Agent>;
	inbox: Inbox;
	subscriptions: readonly Subscription[];
	now: number;
	blocks(agent: AgentId): readonly Block[];
	messages(agent: AgentId): readonly Delta[];
	queue(agent: AgentId): readonly Prompt[];
	mail(agent: AgentId): readonly Mail[];
	turns(agent: AgentId): readonly Turn[];
	approvals(agent: AgentId): readonly Approval[];
	/** the name of its node, where there are several */
	nodeOf(agent: Agent): string | null;
	/** older items may be loaded */
	hasOlder(agent: AgentId): boolean;
	/** newer items than those in memory exist */
	isDetached(agent: AgentId): boolean;
	/** its end has been asked for and is not there yet */
	isLoading(agent: AgentId): boolean;
}

export interface State {
	current: AgentId;
	/** where each conversation is read; absent if its end is followed */
	anchors: ReadonlyMap<AgentId, Anchor>;
	/** the blocks that are shown in full */
	opened: ReadonlySet<number>;
	/** the block that the next Enter opens, while the reader is among the blocks */
	selected: number | null;
	/** a page that followed the end until the reader began to choose a block; the anchor is null until it is drawn */
	paused: { anchor: Anchor; opened: ReadonlySet<number> } | null;
	panel: Panel | null;
	status: StatusMessage | null;
	/** Ctrl+C, which has to be pressed twice to leave, was pressed once, at this time */
	armed: number | null;
	/** what Ctrl+C has just taken out of the input: if the next keys leave, it is the draft again */
	cleared: Pick<Draft, "text" | "cursor"> | null;
	/** the turn of each agent that Esc has interrupted: until it ends, Esc ends it by force */
	interrupted: ReadonlyMap<AgentId, number>;
	/** when a key was last typed: single letters answer an approval only after a pause */
	typedAt: number;
	/** the prompt in each agent's queue that is being edited */
	editing: ReadonlyMap<AgentId, number>;
	/** commands that have not answered yet, the latest last, and where they were given */
	waiting: readonly { id: number; text: string; agent: AgentId; awaited: readonly AgentId[] }[];
	/** how far the question above the input was read; null if it has just come */
	question: QuestionState | null;
	/** the files of diffs that were viewed, as they were then */
	viewed: ReadonlySet<string>;
}

export interface QuestionState {
	approval: number;
	/** the first row that is shown */
	at: number;
	/** the rows up to this one have been on the screen */
	read: number;
	/** the columns of the screen that these rows were for */
	width: number;
	/** it may take most of the screen */
	isWide: boolean;
	/** when it was drawn first, or an answer came too early; null before */
	shownAt: number | null;
	/** the next Enter allows it always */
	isAlways: boolean;
}

export interface StatusMessage {
	text: string;
	style: Style;
	/** the prompt of the queue that it is about */
	queued?: number | undefined;
	/** what is said instead when the daemon answers again; nothing if it is empty */
	whenLive?: string | undefined;
}

/** A list over the conversation. */
export type Panel =
	| (PanelBase & { kind: "tree"; filter: PickerFilter; words: string; collapsed: ReadonlySet<AgentId> })
	| (PanelBase & { kind: "inbox" | "queue" | "mail" | "turns" | "keys" | "commands" })
	| (PanelBase & { kind: "text"; title: string; lines: readonly string[] })
	| DiffPanel;

export type DiffPanel = PanelBase & {
	kind: "diff";
	title: string;
	source: DiffSource;
	files: readonly PanelFile[];
	/** those whose lines are shown */
	opened: ReadonlySet<number>;
};

/** Where a diff came from, to load the patches of single files. */
export type DiffSource =
	| { route: "diff"; agent: string; project?: ProjectSlug }
	| { route: "snapshot"; agent: AgentId; snapshot: string; against?: string };

interface PanelBase {
	/** the selected row */
	at: number;
	/** the list that it was opened from */
	back?: Panel;
}

export interface PanelFile {
	path: string;
	/** what it was called before; only for one that was renamed */
	from?: string;
	/** how many lines were added and deleted; null for files that are not text */
	added: number | null;
	deleted: number | null;
	/** that it was deleted, is a link, or has another mode now */
	note?: string;
	/** null until they are loaded */
	lines: readonly string[] | null;
	/** it counts as viewed until this text changes; null until its lines are loaded */
	viewed: string | null;
}

export const pickerFilters = ["living", "needs you", "all", "everywhere"] as const;
export type PickerFilter = (typeof pickerFilters)[number];

export const firstState = (current: AgentId): State => ({
	current,
	anchors: new Map(),
	opened: new Set(),
	selected: null,
	paused: null,
	panel: null,
	status: null,
	armed: null,
	cleared: null,
	interrupted: new Map(),
	typedAt: 0,
	editing: new Map(),
	waiting: [],
	question: null,
	viewed: new Set(),
});

/** What the program does beside drawing. */
export type Effect =
	| { do: "edit"; data: string }
	| { do: "show"; agent: AgentId }
	| { do: "read"; agent: AgentId; where: "older" | "newer" | "top"; by: number }
	| { do: "answer"; approval: number; answer: "allow" | "deny" | "always" }
	| { do: "interrupt"; agent: AgentId; force: boolean }
	| { do: "cancel"; agent: AgentId }
	| { do: "load"; what: "diff" | "turn-diff"; agent: AgentId; id: number; handle: string; back?: Panel }
	| { do: "load-file"; source: DiffSource; path: string }
	| { do: "queue"; agent: AgentId; prompt: number; change: { to: number } | "remove" }
	| { do: "edit-prompt"; agent: AgentId; prompt: number; text: string }
	| { do: "delete-mail"; agent: AgentId; mail: number }
	| { do: "draft"; text: string; cursor?: Draft["cursor"] }
	| { do: "remember"; text: string }
	| { do: "transcript" }
	| { do: "redraw" }
	| { do: "suspend" }
	| { do: "quit" };
