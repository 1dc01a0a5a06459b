// The plan of a turn, which its agent writes anew with every step.
import { counted } from "#contract/counted.ts";

/** A step of a plan, with a mark for its state. */
export interface PlanStep {
	state: string;
	mark: string;
	text: string;
}

const planMarks: Readonly<Record<string, string>> = { completed: "☑", in_progress: "▸", pending: "☐" };

export const planSteps = (text: string): PlanStep[] =>
	text.split("\n").map((line) => {
		const [, state = "", step = line] = /^(\w+): (.*)$/.exec(line) ?? [];
		return { state, mark: planMarks[state] ?? "·", text: step };
	});

/** `plan: 1 of 3 steps done`. */
export function planLine(text: string): string {
	const steps = planSteps(text);
	const done = steps.filter(({ state }) => state === "completed").length;
	return `plan: ${done} of ${counted(steps.length, "step")} done`;
}
