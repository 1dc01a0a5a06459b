// How commands and events are declared.
import { z } from "zod";

/** A command: `noun.verb` and what it takes. */
export const command = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
	z.strictObject({ type: z.literal(type), ...shape });

/** An event: `noun.happened` and its data. */
export const event = <K extends string, S extends z.ZodRawShape>(kind: K, data: S) =>
	z.object({ kind: z.literal(kind), data: z.object(data) });

/** An event whose text is stored apart from its data. */
export const textEvent = <K extends string, S extends z.ZodRawShape>(kind: K, data: S) =>
	z.object({ kind: z.literal(kind), text: z.string(), data: z.object(data) });
