// A refusal as it is read and described.
import { z } from "zod";
import { type RefusalCode as Code, refusalCodes, type Refusal as Said } from "./refusal.ts";

const codes: readonly string[] = Object.keys(refusalCodes);
export const RefusalCode = z.custom<Code>((value) => typeof value === "string" && codes.includes(value), "unknown refusal code");

export const Refusal = z.strictObject({
	code: RefusalCode,
	message: z.string(),
	details: z.record(z.string(), z.json()),
	suggestions: z.array(z.string()),
}) satisfies z.ZodType<Said>;
