// The terminal program: keys and events in, frames and requests out.
import { writeSync } from "node:fs";
import { Mirror } from "#client/mirror.ts";
import type { Changed } from "#client/mirror-options.ts";
import type { AgentId } from "#contract/ids.ts";
import { messageOf } from "#contract/message-of.ts";
import { visible } from "#contract/visible.ts";
import { answeredWith } from "./answer.ts";
import type { ScreenLook } from "./below.ts";
import { completed } from "./complete.ts";
import { changeDraft, Drafts, recallText, sentTo } from "./drafts.ts";
import { DrawnScreen } from "./drawn.ts";
import { itemsMax, MirroredScreen } from "./mirrored-screen.ts";
import { type Effect, firstState, type State, type StatusMessage } from "./model.ts";
import { lastActive } from "./moving.ts";
import { printTranscript } from "./normal-screen.ts";
import { OpenRequests, type RequestOrigin, type SendRequest } from "./open-requests.ts";
import type { Draft } from "./pi/draft.ts";
import { notStopped, Screen } from "./pi/screen.ts";
import { clicked } from "./pointing.ts";
import { refusalText, request, waitingText } from "./requests.ts";
import { agentIn, DelayedSave, mustBeSaved, nobody, SavedFile } from "./saved.ts";
import { keyOn } from "./screen.ts";
import type { SlashAnswer } from "./slash.ts";
import { heldBack, submissionOf } from "./submission.ts";
import type { TerminalOptions } from "./terminal-options.ts";
import { type Key, modeOf, type Update } from "./transition.ts";
import { isUnanswered, mayHaveArrived, sentAgain, Unanswered } from "./unanswered.ts";
import { backToQueue, scrolledTo, update } from "./update.ts";

export class TerminalProgram {
	readonly #options: TerminalOptions;
	readonly #mirror: Mirror;
	readonly #view: MirroredScreen;
	readonly #screen: Screen;
	readonly #drafts: Drafts;
	readonly #file: SavedFile;
	readonly #over = new AbortController();
	readonly #done = Promise.withResolvers<void>();
	readonly #requests: OpenRequests;
	readonly #unanswered: Unanswered;
	#state: State;
	readonly #drawn = new DrawnScreen();
	readonly #saving = new DelayedSave(() => this.#save());

	/** `first` is shown if the person was nowhere yet; null for the agent that was active last. */
	constructor(options: TerminalOptions, first: AgentId | null = null) {
		this.#options = options;
		const { client, home, project, now, beforeReconnect, terminal } = options;
		this.#file = new SavedFile(home);
		const { saved } = this.#file;
		this.#mirror = new Mirror(client, { now, beforeReconnect, itemsMax, changed: (what) => this.#changed(what) });
		this.#view = new MirroredScreen(this.#mirror, options);
		const last = agentIn(saved.last[project ?? ""]) ?? first ?? nobody;
		this.#state = { ...firstState(last), ...this.#file.restored() };
		const painter = {
			draw: (width: number, height: number, isHeld: boolean) => {
				const at = { now: now(), isHeld };
				const drawn = this.#drawn.draw(this.#state, this.#view.seen, this.#look({ width, height }), at);
				this.#state = drawn.state;
				return drawn.rows;
			},
			...{ key: this.#key, wheel: this.#wheel, click: this.#click },
			...{ together: this.#drawn.together, copied: this.#drawn.copied },
		};
		this.#screen = new Screen(painter, {
			...{ mouse: saved.preferences.mouse, colour: options.colour },
			...(terminal !== undefined && { terminal }),
		});
		this.#requests = new OpenRequests({
			answered: (answer) => this.#answered(answer),
			refused: (error, asked) => this.#refused(error, asked),
			givenUp: (asked) => this.#unanswered.keep(asked),
			waiting: (waiting) => this.#show({ ...this.#state, waiting }),
		});
		this.#unanswered = new Unanswered(saved);
		this.#drafts = new Drafts(saved, () =>
			this.#screen.draft({
				submit: (text) => this.#submit(text),
				changed: () => this.#saving.begin(),
				complete: (text) => completed(text, this.#view.seen, this.#state.current),
			}),
		);
	}

	/** Until the person leaves. */
	async run(): Promise<void> {
		if (this.#state.current === nobody) this.#view.load();
		else void this.#view.show(this.#state.current);
		this.#screen.start();
		// ages and clocks on the screen
		const clock = setInterval(() => {
			this.#view.refresh();
			this.#screen.repaint();
		}, 1000);
		const following = this.#mirror.run(this.#over.signal).catch((error: unknown) => {
			this.stop();
			writeSync(2, visible(`${messageOf(error)}\n`));
		});
		await this.#done.promise;
		clearInterval(clock);
		this.#over.abort();
		await following;
	}

	/** Leaves the screen as it was before, whatever ends the program. */
	stop(): void {
		this.#screen.stop();
		for (const { agent, typed } of this.#requests.leave()) this.#drafts.giveBack(agent, typed);
		this.#save(true);
		this.#done.resolve();
	}

	#changed(what: Changed): void {
		if ("all" in what) {
			this.#view.reload();
			this.#findCurrent();
			this.#state = this.#drafts.withEdits(this.#state, this.#view.seen);
			const { current, anchors } = this.#state;
			this.#ask("", () => this.#view.restoreAnchor(current, anchors.get(current) ?? null));
		} else if ("rows" in what) {
			if (what.item?.agent) this.#view.add(what.item.agent, what.item, !this.#state.anchors.has(what.item.agent));
			if (what.rows.length > 0) this.#view.refresh();
		} else if ("unjournaled" in what) this.#view.refresh();
		this.#screen.repaint();
	}

	/** The agent may have been deleted while the terminal was closed; at first there is none. */
	#findCurrent(): void {
		const found = this.#view.seen.agents.has(this.#state.current) ? null : lastActive(this.#view.seen);
		if (found !== null && this.#state.current === nobody) this.#drafts.move(nobody, found.id);
		if (found !== null) this.#go(found.id);
	}

	#look({ width, height } = { width: this.#screen.columns, height: this.#screen.rows }): ScreenLook {
		const [{ colour }, { panel, editing, current }, draft] = [this.#options, this.#state, this.#draft];
		const mark = editing.has(current) ? "edit> " : "> ";
		return { width, height, colour, typed: draft.text, input: panel === null ? draft.rows(width, mark, colour) : [] };
	}

	get #draft(): Draft {
		return this.#drafts.shown(this.#state);
	}

	readonly #key = (name: string, data: string): void => {
		this.#take(update(this.#state, this.#pressed(name, data), this.#view.seen));
	};

	#pressed(name: string, data: string): Key {
		const [{ seen }, draft] = [this.#view, this.#draft];
		draft.recall(() => sentTo(seen, this.#state.current));
		return keyOn(this.#state, seen, this.#look(), { name, data, now: this.#options.now(), draft });
	}

	#take({ state, effects }: Update): void {
		if (mustBeSaved(this.#state, state)) this.#saving.begin();
		this.#state = state;
		if (!state.anchors.has(state.current)) this.#view.conversation(state.current).follow();
		for (const effect of effects) this.#do(effect);
	}

	readonly #click = (column: number, row: number): boolean => {
		const target = this.#drawn.targetAt({ column, row });
		const done = target && clicked(this.#state, this.#view.seen, this.#pressed("enter", "\r"), target);
		if (done !== null) this.#take(done);
		return done !== null;
	};

	/** The wheel does what the arrows do: in a list it moves there. */
	readonly #wheel = (rows: number): void => {
		const name = `${modeOf(this.#state) === "conversation" ? "alt+" : ""}${rows < 0 ? "up" : "down"}`;
		for (let row = 0; row < Math.abs(rows); row++) this.#key(name, "");
		this.#screen.repaint();
	};

	#do(effect: Effect): void {
		switch (effect.do) {
			case "edit":
			case "draft":
			case "remember":
				changeDraft(this.#draft, effect);
				break;
			case "show":
				this.#go(effect.agent);
				break;
			case "read":
				this.#ask("Loading …", () => this.#read(effect));
				break;
			case "cancel":
				this.#say(this.#requests.cancel(effect.agent), "wait");
				break;
			case "transcript":
				this.#ask("Loading …", (signal) =>
					printTranscript(this.#screen, this.#view, { agent: this.#state.current, ...this.#options, signal }),
				);
				break;
			case "redraw":
				this.#screen.redraw();
				break;
			case "suspend":
				if (!this.#screen.suspend()) this.#say(notStopped, "wait");
				break;
			case "quit":
				this.stop();
				break;
			default:
				this.#ask(waitingText(effect), () => request(this.#options.client, effect, this.#options.freshKey()), {
					typed: effect.do === "edit-prompt" ? effect.text : "",
				});
		}
	}

	/** Loads what the reader scrolled to, and scrolls on, unless they went elsewhere meanwhile. */
	async #read({ agent, where, by }: Extract<Effect, { do: "read" }>): Promise<SlashAnswer> {
		const before = this.#state.anchors.get(agent);
		await this.#view.conversation(agent)[where]();
		if (this.#state.current !== agent || this.#state.anchors.get(agent) !== before) return {};
		this.#state = scrolledTo(this.#state, this.#pressed("", "").reading.scroll(where === "top" ? "top" : by));
		return {};
	}

	#ask(text: string, send: SendRequest, origin: Partial<RequestOrigin> = {}): void {
		this.#requests.run(text, send, { agent: this.#state.current, typed: "", ...origin });
	}

	#go(agent: AgentId): void {
		this.#state = { ...this.#state, current: agent };
		this.#ask("", async () => {
			await this.#view.show(agent);
			return await this.#view.restoreAnchor(agent, this.#state.anchors.get(agent) ?? null);
		});
		this.#saving.begin();
		this.#screen.repaint();
	}

	#submit(line: string): void {
		const text = line.trim();
		const { current, editing } = this.#state;
		const [agent, prompt] = [this.#view.seen.agents.get(current), editing.get(current)];
		const held = text === "" ? null : heldBack(text, this.#view.seen, current);
		if (held !== null) {
			this.#draft.set(text);
			this.#say(held, "bad", "");
		}
		if (text === "" || held !== null || agent === undefined) return;
		this.#drafts.of(current).remember(text);
		if (prompt !== undefined) {
			this.#state = backToQueue(this.#state, this.#view.seen);
			this.#do({ do: "edit-prompt", agent: current, prompt, text });
			return;
		}
		const before = this.#unanswered.take(current, text);
		const key = before ?? this.#options.freshKey();
		const found = submissionOf(text, { ...this.#options, agent, seen: this.#view.seen, key });
		if (found instanceof Error) this.#refused(found, { agent: current, typed: text });
		else {
			const { waits, ask, cancelled, isPrompt } = found;
			if (isPrompt) this.#state = scrolledTo(this.#state, null);
			this.#ask(waits, before === null ? ask : sentAgain(ask), { typed: text, cancelled, key });
		}
	}

	#answered(answer: SlashAnswer): void {
		const { quit, prefer } = answer;
		const { follow } = Object.assign(this.#file.saved.preferences, prefer);
		const { state, go } = answeredWith(this.#state, answer, { seen: this.#view.seen, follow, typed: this.#draft.text });
		this.#show(state);
		if (prefer?.mouse !== undefined) this.#screen.takeMouse(prefer.mouse);
		if (prefer !== undefined) this.#saving.begin();
		if (go !== null) this.#go(go);
		if (quit === true) this.stop();
	}

	/** What was written is given back where it was written. */
	#refused(error: unknown, origin: RequestOrigin): void {
		const { agent, typed } = origin;
		const isHere = typed !== "" && agent === this.#state.current;
		const unknown = this.#unanswered.keep(origin, error) ? mayHaveArrived : "";
		const isBack = typed === "" || this.#drafts.bringBack(agent, typed);
		if (isHere) this.#state = { ...this.#state, panel: null };
		const text = [refusalText(error), unknown, isHere && !isBack ? recallText : ""].filter(Boolean).join("\n");
		this.#say(text, "bad", isUnanswered(error) ? unknown : undefined);
	}

	/** What a lost connection caused is said until there is one. */
	#say(text: string, style: StatusMessage["style"], whenLive?: string): void {
		const isAway = this.#view.seen.connection !== "live";
		this.#show({ ...this.#state, status: { text, style, whenLive: isAway ? whenLive : undefined } });
	}

	#show(state: State): void {
		this.#state = state;
		this.#screen.repaint();
	}

	#save(isLeaving = false): void {
		this.#drafts.keep(this.#state);
		this.#file.save({ ...this.#state, last: [this.#options.project ?? "", this.#state.current] }, isLeaving);
	}
}
