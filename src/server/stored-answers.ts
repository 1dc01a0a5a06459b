// Receipts keep only the ids of an issue's notes, which never change: otherwise an issue with a hundred comments would be
// stored a hundred times.
import type { IssueDetails } from "#contract/issue-wire.ts";
import type { RouteName } from "#contract/routes.ts";
import type { Reads } from "#engine/ports/store.ts";
import { issueDetails } from "#views/issue.ts";

const withNotes: readonly RouteName[] = ["issueComment", "issueDocument", "issueMessage"];

interface Packed {
	details: Omit<IssueDetails, "comments" | "documents" | "messages">;
	notes: number[];
	/** the messages that had been delivered */
	delivered: number[];
}

export function packedAnswer(route: RouteName, data: object): object {
	if (!withNotes.includes(route) || !isDetails(data)) return data;
	const { comments, documents, messages, ...details } = data;
	const notes = [...comments, ...documents, ...messages].map(({ id }) => id);
	const delivered = messages.filter((message) => message.delivered).map(({ id }) => id);
	return { details, notes, delivered } satisfies Packed;
}

export async function unpackedAnswer(route: RouteName, given: unknown, reads: Reads): Promise<unknown> {
	if (!isPacked(route, given)) return given;
	const { artifacts, ...issue } = given.details;
	const [ids, delivered] = [new Set(given.notes), new Set(given.delivered)];
	const notes = (await reads.notes(issue.id)).filter(({ id }) => ids.has(id));
	return issueDetails(
		issue,
		notes.map((note) => (note.kind === "message" ? { ...note, delivered: delivered.has(note.id) } : note)),
		artifacts,
	);
}

const isDetails = (data: object): data is IssueDetails =>
	"comments" in data && "documents" in data && "messages" in data;

const isPacked = (route: RouteName, given: unknown): given is Packed =>
	withNotes.includes(route) && typeof given === "object" && given !== null && "notes" in given;
