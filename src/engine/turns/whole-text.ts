// Texts that are too long for a row: the row has the beginning, a blob the whole text.
import type { Event } from "#contract/event.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Blobs } from "../ports/blobs.ts";

export async function wholeText(
	{ id, text, data }: Pick<Event, "id" | "text" | "data">,
	blobs: Blobs | undefined,
): Promise<{ text: string | null } | Refusal> {
	const blob: unknown = typeof data === "object" && data !== null ? Reflect.get(data, "blob") : undefined;
	if (typeof blob !== "string") return { text };
	const whole = (await blobs?.get(blob)) ?? null;
	if (whole !== null) return { text: whole };
	const words = `The whole text of item ${id} is missing or damaged (blobs/${blob}); its beginning is in the log. Restore the file from a backup.`;
	return refuse("BLOB_GONE", words, { details: { item: id, blob } });
}
