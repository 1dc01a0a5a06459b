// The schema of a refusal.
import { z } from "zod";
import { Json } from "./json.ts";
import { type RefusalCode as Code, type Refusal as RefusalValue, refusalCodes } from "./refusal.ts";

export const RefusalCode = z.enum(Object.keys(refusalCodes) as Code[], "unknown refusal code");

export const Refusal = z.strictObject({
	code: RefusalCode,
	message: z.string(),
	details: z.record(z.string(), Json),
	suggestions: z.array(z.string()),
}) satisfies z.ZodType<RefusalValue>;
