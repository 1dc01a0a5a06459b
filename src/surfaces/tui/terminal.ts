// The terminal program: keys and events in, frames and requests out.
import { writeSync } from "node:fs";
import { type Client, Refused } from "#client/client.ts";
import { type Changed, Mirror } from "#client/mirror.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import { visible } from "#contract/visible.ts";
import { Asking } from "./asking.ts";
import { completed } from "./complete.ts";
import { Drafts, sentTo } from "./drafts.ts";
import { itemsMax, MirroredScreen } from "./mirrored-screen.ts";
import { type Effect, firstState, type State } from "./model.ts";
import { printTranscript, suspend } from "./normal-screen.ts";
import { Screen, type Terminal } from "./pi/screen.ts";
import { clicked } from "./pointing.ts";
import { request } from "./requests.ts";
import { agentIn, anchorsIn, load, type Saved, save } from "./saved.ts";
import { foldable, type ScreenLook, screenRows, scrolled, threadHeight, threadWidth } from "./screen.ts";
import type { SlashAnswer } from "./slash.ts";
import { submissionOf } from "./submission.ts";
import type { Update } from "./transition.ts";
import { scrolledBy, treePanel, update } from "./update.ts";

export interface TerminalOptions {
	client: Client;
	home: string;
	project: ProjectSlug | null;
	colour: boolean;
	/** a key for each request that changes something */
	freshKey(): string;
	/** finds the daemon again, or starts it */
	mend(): Promise<unknown>;
	now(): number;
	/** the process's own if absent */
	terminal?: Terminal;
}

/** what was typed is saved this long after the last key */
const saveMs = 500;

export class TerminalProgram {
	readonly #options: TerminalOptions;
	readonly #mirror: Mirror;
	readonly #view: MirroredScreen;
	readonly #screen: Screen;
	readonly #drafts: Drafts;
	readonly #saved: Saved;
	readonly #over = new AbortController();
	readonly #done = Promise.withResolvers<void>();
	readonly #asking: Asking;
	#state: State;
	#saving: NodeJS.Timeout | null = null;

	constructor(options: TerminalOptions, first: AgentId) {
		this.#options = options;
		const { client, home, project, now, mend, terminal } = options;
		this.#saved = load(home);
		this.#mirror = new Mirror(client, { now, mend, itemsMax, changed: (what) => this.#changed(what) });
		this.#view = new MirroredScreen(this.#mirror, client, project);
		const last = agentIn(this.#saved.last[project ?? ""]);
		const reviewed = new Set(this.#saved.reviewed);
		this.#state = { ...firstState(last ?? first), anchors: anchorsIn(this.#saved), reviewed };
		const painter = {
			draw: (width: number, height: number) => screenRows(this.#state, this.#view.seen, this.#look({ width, height })),
			key: (name: string, data: string) => this.#key(name, data),
			wheel: (rows: number) => this.#scroll(rows),
			click: (column: number, row: number) => this.#click({ column, row }),
		};
		this.#screen = new Screen(painter, {
			mouse: this.#saved.preferences.mouse,
			...(terminal !== undefined && { terminal }),
		});
		this.#asking = new Asking({
			answered: (answer) => this.#answered(answer),
			refused: (error, typed) => this.#refused(error, typed),
			waiting: (waiting) => {
				this.#state = { ...this.#state, waiting };
				this.#screen.repaint();
			},
		});
		this.#drafts = new Drafts(this.#saved, () =>
			this.#screen.draft({
				submit: (text) => this.#submit(text),
				changed: () => this.#saveSoon(),
				complete: (text) => completed(text, this.#view.seen, this.#state.current),
			}),
		);
	}

	/** Until the person leaves. */
	async run(): Promise<void> {
		void this.#view.show(this.#state.current);
		this.#screen.start();
		// ages and clocks on the screen
		const clock = setInterval(() => {
			this.#view.refresh();
			this.#screen.repaint();
		}, 1000);
		const following = this.#mirror.run(this.#over.signal).catch((error: unknown) => {
			this.stop();
			writeSync(2, visible(`${error instanceof Error ? error.message : String(error)}\n`));
		});
		await this.#done.promise;
		clearInterval(clock);
		this.#over.abort();
		await following;
	}

	/** Leaves the screen as it was before, whatever ends the program. */
	stop(): void {
		this.#screen.stop();
		this.#save();
		this.#done.resolve();
	}

	#changed(what: Changed): void {
		if ("all" in what) {
			this.#view.reload();
			this.#findCurrent();
		} else if ("rows" in what) {
			if (what.item?.agent) this.#view.add(what.item.agent, what.item, !this.#state.anchors.has(what.item.agent));
			if (what.rows.length > 0) this.#view.refresh();
		} else if ("unjournaled" in what) this.#view.refresh();
		this.#screen.repaint();
	}

	/** The agent may have been deleted while the terminal was closed. */
	#findCurrent(): void {
		const { agents, tree } = this.#view.seen;
		if (agents.size === 0 || agents.has(this.#state.current)) return;
		const living = tree.find(({ agent }) => agent.life !== "ended" && agent.supervisor !== null) ?? tree[0];
		if (living !== undefined) this.#go(living.agent.id);
	}

	#look({ width, height }: { width: number; height: number }): ScreenLook {
		const { colour } = this.#options;
		const { panel, editing, current } = this.#state;
		const mark = editing === null ? "> " : "edit> ";
		const draft = this.#drafts.of(current);
		return { width, height, colour, typed: draft.text, input: panel === null ? draft.rows(width, mark, colour) : [] };
	}

	/** The part of the screen that the thread has now. */
	#threadLook() {
		const { columns, rows } = this.#screen;
		const height = threadHeight(this.#state, this.#view.seen, this.#look({ width: columns, height: rows }));
		return { width: threadWidth(columns), height, colour: this.#options.colour };
	}

	#key(name: string, data: string): void {
		const { seen } = this.#view;
		const look = this.#threadLook();
		const draft = this.#drafts.of(this.#state.current);
		draft.recall(() => sentTo(seen, this.#state.current));
		const { text, isCompleting } = draft;
		const key = {
			...{ name, data, now: this.#options.now(), height: look.height },
			...{ width: this.#screen.columns, rows: this.#screen.rows },
			draft: { text, isCompleting },
			scroll: (by: number | "top") => scrolled(this.#state, seen, look, by),
			foldable: () => foldable(seen, this.#state),
		};
		this.#take(update(this.#state, key, seen));
	}

	#take({ state, effects }: Update): void {
		this.#state = state;
		for (const effect of effects) this.#do(effect);
	}

	#click(at: { column: number; row: number }): boolean {
		const look = this.#look({ width: this.#screen.columns, height: this.#screen.rows });
		const done = clicked(this.#state, this.#view.seen, look, at);
		if (done !== null) this.#take(done);
		return done !== null;
	}

	#scroll(rows: number): void {
		this.#state = scrolledBy(this.#state, scrolled(this.#state, this.#view.seen, this.#threadLook(), rows));
		this.#screen.repaint();
	}

	#do(effect: Effect): void {
		switch (effect.do) {
			case "edit":
				this.#drafts.of(this.#state.current).input(effect.data);
				break;
			case "draft":
				this.#drafts.of(this.#state.current).set(effect.text);
				break;
			case "show":
				this.#go(effect.agent);
				break;
			case "older":
				this.#asking.run("Loading older items …", async () => {
					await this.#view.older(effect.agent);
					return {};
				});
				break;
			case "rows":
				this.#view.loadRows();
				break;
			case "cancel":
				this.#asking.cancel();
				this.#say("Given up. A fork that was waiting is not made; anything else may still be done.", "wait");
				break;
			case "transcript":
				printTranscript(this.#screen, this.#state.current, this.#view.seen, this.#options.colour);
				break;
			case "redraw":
				this.#screen.redraw();
				break;
			case "suspend":
				suspend(this.#screen);
				break;
			case "quit":
				this.stop();
				break;
			default:
				this.#asking.run(effect.do === "load" ? "Loading …" : "", () =>
					request(this.#options.client, effect, this.#options.freshKey()),
				);
		}
	}

	#go(agent: AgentId): void {
		this.#state = { ...this.#state, current: agent };
		this.#view.show(agent).catch((error: unknown) => this.#refused(error, ""));
		this.#saveSoon();
		this.#screen.repaint();
	}

	#submit(line: string): void {
		const text = line.trim();
		const { current, editing } = this.#state;
		const agent = this.#view.seen.agents.get(current);
		if (text === "" || agent === undefined) return;
		this.#drafts.of(current).remember(text);
		if (editing !== null) {
			this.#state = { ...this.#state, editing: null };
			this.#do({ do: "edit-prompt", ...editing, text });
			return;
		}
		const { client, project, freshKey } = this.#options;
		const found = submissionOf(text, { agent, client, project, key: freshKey() });
		if (found instanceof Error) {
			this.#refused(found, text);
			return;
		}
		if (found.isPrompt) this.#state = scrolledBy(this.#state, null);
		this.#asking.run(found.waits, found.ask, text);
	}

	#answered({ text, panel, go, quit, prefer }: SlashAnswer): void {
		const { seen } = this.#view;
		const shown = panel?.kind === "tree" ? treePanel(this.#state, seen, panel.filter) : panel;
		if (shown !== undefined) this.#state = { ...this.#state, panel: shown };
		Object.assign(this.#saved.preferences, prefer);
		if (prefer?.mouse !== undefined) this.#screen.takeMouse(prefer.mouse);
		if (prefer !== undefined) this.#saveSoon();
		if (panel?.kind === "mail" || panel?.kind === "turns") this.#view.loadRows();
		if (text !== undefined) this.#say(text, "ok");
		// the reader may have gone elsewhere meanwhile
		if (go !== undefined && this.#state.current === go.from && this.#saved.preferences.follow) this.#go(go.to);
		if (quit === true) this.stop();
	}

	/** The refusal word for word, with its first suggestion. */
	#refused(error: unknown, typed: string): void {
		const draft = this.#drafts.of(this.#state.current);
		if (typed !== "" && draft.text === "") draft.set(typed);
		if (error instanceof Refused) {
			const { code, message, suggestions } = error.refusal;
			const [first] = suggestions;
			this.#say(`${code}: ${message}${first === undefined ? "" : `  try: ${first}`}`, "bad");
		} else this.#say(error instanceof Error ? error.message : String(error), "bad");
	}

	#say(text: string, style: NonNullable<State["notice"]>["style"]): void {
		this.#state = { ...this.#state, notice: { text, style } };
		this.#screen.repaint();
	}

	#saveSoon(): void {
		this.#saving ??= setTimeout(() => {
			this.#saving = null;
			this.#save();
		}, saveMs).unref();
	}

	#save(): void {
		this.#drafts.keep();
		save(this.#options.home, this.#saved, {
			...this.#state,
			last: [this.#options.project ?? "", this.#state.current],
		});
	}
}
