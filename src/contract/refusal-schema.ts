// The schema of a refusal.
import { z } from "zod";
import { Json } from "./json.ts";
import { type Refusal, type RefusalCode, refusalCodes } from "./refusal.ts";

export const RefusalCodeSchema = z.enum(Object.keys(refusalCodes) as RefusalCode[], "unknown refusal code");

export const RefusalSchema = z.strictObject({
	code: RefusalCodeSchema,
	message: z.string(),
	details: z.record(z.string(), Json),
	suggestions: z.array(z.string()),
}) satisfies z.ZodType<Refusal>;
