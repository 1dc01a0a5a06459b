// One tool for agents: what it takes, and how its answer reads.
import { z } from "zod";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { CallRoute } from "#contract/routes.ts";
import { validationMessage } from "#contract/validation-message.ts";

export interface ToolContext {
	/** the id of the agent that uses the tool */
	self: string;
	call: CallRoute;
	/** aborting it ends a wait */
	stopped?: { readonly aborted: boolean };
}

/** Text for the model, and the same as data. */
export interface ToolAnswer {
	text: string;
	data: Record<string, unknown>;
}

interface ToolParts<I extends z.ZodObject> {
	description: string;
	input: I;
	use(toolContext: ToolContext, input: z.output<I>): Promise<ToolAnswer | Refusal>;
}

/** A tool whose `use` gets parsed input. */
export const tool = <I extends z.ZodObject>({ description, input, use }: ToolParts<I>) => ({
	description,
	input,
	run: async (toolContext: ToolContext, given: unknown): Promise<ToolAnswer | Refusal> => {
		const parsed = input.safeParse(given ?? {});
		if (!parsed.success) return refuse("VALIDATION_ERROR", validationMessage(parsed.error));
		return await use(toolContext, parsed.data);
	},
});

export function reply<T extends object>(answer: T | Refusal, render: (answer: T) => ToolAnswer): ToolAnswer | Refusal {
	return isRefusal(answer) ? answer : render(answer);
}

export const agentName = z.string().min(1).max(200).describe("an agent's handle or id");
