// A refusal as it is read and described.
import { z } from "zod";
import { Json } from "./json.ts";
import { type RefusalCode as Code, refusalCodes, type Refusal as Said } from "./refusal.ts";

export const RefusalCode = z.enum(Object.keys(refusalCodes) as Code[], "unknown refusal code");

export const Refusal = z.strictObject({
	code: RefusalCode,
	message: z.string(),
	details: z.record(z.string(), Json),
	suggestions: z.array(z.string()),
}) satisfies z.ZodType<Said>;
