// A refusal as it is read and described.
import { z } from "zod";
import { type RefusalCode as Code, refusalCodes } from "./refusal.ts";

const codes: readonly string[] = Object.keys(refusalCodes);
export const RefusalCode = z.custom<Code>((value) => typeof value === "string" && codes.includes(value), "unknown refusal code");

export const Refusal = z.strictObject({
	code: RefusalCode,
	/** one sentence for a person */
	message: z.string(),
	details: z.record(z.string(), z.json()),
	/** commands that are always safe to run */
	suggestions: z.array(z.string()),
});
export type Refusal = z.infer<typeof Refusal>;
