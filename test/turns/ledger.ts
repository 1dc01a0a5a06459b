// What the journal says became of every prompt, turn, question, wait and letter.
import { expect } from "vitest";
import type { ApprovalState } from "#contract/approval.ts";
import type { Event } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { TurnState } from "#contract/turn.ts";
import type { WaitState } from "#contract/wait.ts";

type Fate = "queued" | "running" | "completed" | "failed" | "interrupted" | "cancelled";
interface Entry {
	agent: AgentId | null;
	fate: Fate;
	/** the words that a process may be given */
	words: string | null;
	retries: boolean;
}

const field = (event: { data: unknown }, name: string): unknown => Reflect.get(Object(event.data), name);
const numberOf = (event: { data: unknown }, name: string): number => Number(field(event, name));
const numbersOf = (event: { data: unknown }, name: string): number[] => {
	const value = field(event, name);
	return Array.isArray(value) ? value.map(Number) : [];
};

export class Ledger {
	/** the last event that was read */
	last = 0;
	/** prompts that went back to the queue because nobody had got them */
	returned = 0;
	manualTurns = 0;
	readonly #accepted = new Map<number, { agent: AgentId; text: string }>();
	readonly #sent = new Map<number, AgentId>();
	readonly #started: { agent: AgentId; text: string }[] = [];
	readonly #prompts = new Map<number, Entry>();
	readonly #openTurns = new Map<number, { agent: AgentId | null; prompt: number; final: number }>();
	readonly #endedTurns = new Set<number>();
	readonly #holds = new Map<AgentId | null, Set<string>>();
	readonly #delivered = new Map<AgentId | null, number[]>();
	readonly #approvals = new Map<number, { turn: number; answers: number; open: boolean }>();
	readonly #waits = new Map<number, boolean>();

	accepted(id: number | undefined, prompt: { agent: AgentId; text: string }): void {
		if (id !== undefined) this.#accepted.set(id, prompt);
	}

	get acceptedCount(): number {
		return this.#accepted.size;
	}

	wordsOf(prompt: number): string | undefined {
		return this.#accepted.get(prompt)?.text;
	}

	sent(id: number | undefined, to: AgentId): void {
		if (id !== undefined) this.#sent.set(id, to);
	}

	driverEnded(started: readonly { agent: AgentId; text: string }[]): void {
		this.#started.push(...started);
	}

	read(events: readonly Event[]): void {
		for (const event of events) {
			this.last = event.id;
			// the fence: nothing is written into a turn that is over
			if (event.turn !== null)
				expect(this.#endedTurns.has(event.turn), `event ${event.id} of an ended turn`).toBe(false);
			this.#prompt(event);
			this.#turn(event);
			this.#other(event);
		}
	}

	#prompt(event: Event): void {
		switch (event.kind) {
			case "prompt.queued":
				this.#prompts.set(event.id, {
					agent: event.agent,
					fate: "queued",
					words: event.text,
					retries: field(event, "retries") !== undefined,
				});
				return;
			case "prompt.edited": {
				const entry = this.#entry(numberOf(event, "prompt"));
				expect(entry.fate).toBe("queued");
				entry.words = event.text;
				return;
			}
			case "prompt.returned":
				this.returned++;
				this.#entry(numberOf(event, "prompt")).fate = "queued";
				return;
			case "prompt.cancelled":
				for (const id of numbersOf(event, "prompts")) {
					expect(this.#entry(id).fate, `prompt ${id}, cancelled`).toBe("queued");
					this.#entry(id).fate = "cancelled";
				}
		}
	}

	#turn(event: Event): void {
		if (event.kind === "turn.started") {
			const entry = this.#entry(numberOf(event, "prompt"));
			expect([entry.fate, entry.agent], `prompt ${numberOf(event, "prompt")} starts`).toEqual(["queued", event.agent]);
			const manual = field(event, "manual") === true;
			if (manual) this.manualTurns++;
			// stop wins: whatever holds an agent holds it, but for a turn by hand
			if (!manual) expect([...(this.#holds.get(event.agent) ?? [])], `turn ${event.id} under a hold`).toEqual([]);
			expect([...this.#openTurns.values()].some((turn) => turn.agent === event.agent)).toBe(false);
			entry.fate = "running";
			this.#openTurns.set(event.id, { agent: event.agent, prompt: numberOf(event, "prompt"), final: 0 });
		}
		if (event.kind === "final" && event.turn !== null) {
			const turn = this.#openTurns.get(event.turn);
			if (turn !== undefined) turn.final++;
		}
		if (event.kind !== "turn.ended") return;
		const id = numberOf(event, "turn");
		const turn = this.#openTurns.get(id);
		expect(turn?.final, `the final items of turn ${id}`).toBe(1);
		const entry = this.#entry(turn?.prompt ?? 0);
		const state = field(event, "state");
		if (entry.fate === "running") entry.fate = state === "completed" || state === "failed" ? state : "interrupted";
		this.#openTurns.delete(id);
		this.#endedTurns.add(id);
	}

	#other(event: Event): void {
		const holds = this.#holds.get(event.agent) ?? new Set<string>();
		switch (event.kind) {
			case "agent.held":
				this.#holds.set(event.agent, holds.add(String(field(event, "hold"))));
				return;
			case "agent.unheld":
				for (const kind of Array.from(Object(field(event, "holds")))) holds.delete(String(kind));
				return;
			case "mail.delivered":
				this.#delivered.set(event.agent, [...(this.#delivered.get(event.agent) ?? []), numberOf(event, "mail")]);
				return;
			case "approval.asked":
				this.#approvals.set(event.id, { turn: numberOf(event, "turn"), answers: 0, open: true });
				return;
			case "approval.answered":
			case "approval.cancelled":
				for (const id of event.kind === "approval.answered"
					? [numberOf(event, "approval")]
					: numbersOf(event, "approvals")) {
					const approval = this.#approvals.get(id);
					if (approval === undefined) throw new Error(`approval ${id} was never asked for`);
					approval.answers++;
					approval.open = false;
				}
				return;
			case "wait.opened":
				this.#waits.set(event.id, true);
				return;
			case "wait.ended":
				expect(this.#waits.get(numberOf(event, "wait"))).toBe(true);
				this.#waits.set(numberOf(event, "wait"), false);
		}
	}

	#entry(id: number): Entry {
		const entry = this.#prompts.get(id);
		if (entry === undefined) throw new Error(`prompt ${id} was never queued`);
		return entry;
	}

	/** accepted = run + queued + interrupted + cancelled */
	checkSums(): void {
		const fates = [...this.#accepted.keys()].map((id) => this.#entry(id).fate);
		const count = (...wanted: Fate[]): number => fates.filter((fate) => wanted.includes(fate)).length;
		expect(count("running", "completed", "failed") + count("queued") + count("interrupted") + count("cancelled")).toBe(
			this.#accepted.size,
		);
		for (const { answers, open, turn } of this.#approvals.values()) {
			expect(answers).toBeLessThanOrEqual(1);
			if (open) expect(this.#openTurns.has(turn), "a question of a turn that is over").toBe(true);
		}
	}

	/** Given to a process at most once, unless somebody asked for it again, and only to the agent that it was for. */
	checkStarts(current: readonly { agent: AgentId; text: string }[]): void {
		const starts = [...this.#started, ...current].filter(({ text }) => text.startsWith("words"));
		// what nobody asked for and nobody asked for again must not be run
		const entries = [...this.#prompts].flatMap(([id, entry]) =>
			this.#accepted.has(id) || entry.retries ? [entry] : [],
		);
		for (const { agent, text } of starts) {
			const meant = entries.filter((entry) => entry.words === text);
			expect(meant.map((entry) => entry.agent)).toContain(agent);
			expect(starts.filter((start) => start.text === text && start.agent === agent).length).toBeLessThanOrEqual(
				meant.filter((entry) => entry.agent === agent).length,
			);
		}
	}

	checkRows(rows: {
		queued: readonly PromptState[];
		turns: readonly TurnState[];
		approvals: readonly ApprovalState[];
		waits: readonly WaitState[];
	}): void {
		const queued = [...this.#prompts].filter(([, entry]) => entry.fate === "queued").map(([id]) => id);
		expect(rows.queued.map(({ id }) => id).sort()).toEqual(queued.sort());
		for (const { id, text } of rows.queued) expect(text).toBe(this.#entry(id).words);
		expect(rows.turns.map(({ id }) => id)).toEqual([...this.#openTurns.keys()]);
		expect(rows.approvals.map(({ id }) => id)).toEqual(
			[...this.#approvals].filter(([, { open }]) => open).map(([id]) => id),
		);
		expect(rows.waits.map(({ id }) => id)).toEqual([...this.#waits].filter(([, open]) => open).map(([id]) => id));
		// nobody waits for somebody who waits for them
		for (const wait of rows.waits)
			for (const other of rows.waits)
				if (other.agent !== null && wait.targets.includes(other.agent)) expect(other.targets).not.toContain(wait.agent);
	}

	/** Delivered once, in order, and only to its recipient; kept until it is deleted. */
	checkMail(kept: readonly number[]): void {
		for (const [to, mails] of this.#delivered) {
			expect(mails).toEqual([...new Set(mails)].sort((a, b) => a - b));
			for (const mail of mails) expect(this.#sent.get(mail)).toBe(to);
		}
		expect([...kept].sort()).toEqual([...this.#sent.keys()].sort());
	}
}
