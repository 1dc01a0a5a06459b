// The output of open tool calls as it comes, for whoever watches. It is never recorded: the call's result has all of
// it.
//
// Some programs send all of the output again with each update, and some change what they sent before. So the output is
// compared with what was sent: where it continues, only the new part is sent, otherwise its end replaces what was sent.
import { looseData } from "#contract/loose-data.ts";
import type { LiveMessage } from "#contract/stream.ts";
import type { TurnItem, TurnState } from "#contract/turn.ts";
import { outputEnd } from "#contract/unfinished.ts";

/** between two pieces of one call's output */
const sendMs = 250;
/** characters before the new part that must be as they were sent */
const comparedLength = 1024;

interface RunningCall {
	output: () => string;
	hasNew: boolean;
	/** of the output when it was last sent */
	length: number;
	end: string;
}

export class RunningOutput implements Disposable {
	readonly #turn: Pick<TurnState, "id" | "agent">;
	readonly #send: (message: LiveMessage) => void;
	readonly #open = new Map<string, RunningCall>();
	#timer: ReturnType<typeof setTimeout> | undefined;

	constructor(turn: Pick<TurnState, "id" | "agent">, send: (message: LiveMessage) => void) {
		this.#turn = turn;
		this.#send = send;
	}

	/** Nothing is sent of a call that ends before the first piece is due. */
	add(call: string, output: () => string): void {
		const { length, end } = this.#open.get(call) ?? { length: 0, end: "" };
		this.#open.set(call, { output, hasNew: true, length, end });
		this.#timer ??= setTimeout(() => this.#flush(), sendMs);
	}

	over({ kind, data }: TurnItem): void {
		if (kind === "tool_result") this.#open.delete(String(looseData(data).call));
	}

	[Symbol.dispose](): void {
		clearTimeout(this.#timer);
		this.#open.clear();
	}

	#flush(): void {
		this.#timer = undefined;
		for (const [call, open] of this.#open) if (open.hasNew) this.#sendNew(call, open);
	}

	#sendNew(call: string, { output, length, end }: RunningCall): void {
		const text = output();
		this.#open.set(call, { output, hasNew: false, length: text.length, end: text.slice(-comparedLength) });
		const continues = text.slice(length - end.length, length) === end;
		if (continues && text.length === length) return;
		const { id: turn, agent } = this.#turn;
		const piece = { agent, turn, part: call, kind: "tool_result" };
		if (continues) this.#send({ delta: { ...piece, text: outputEnd(text.slice(length)) } });
		else this.#send({ soFar: { ...piece, text: outputEnd(text) } });
	}
}
