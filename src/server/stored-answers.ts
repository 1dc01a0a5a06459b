// Receipts keep only the ids of an issue's entries, which never change: otherwise an issue with a hundred comments
// would be stored a hundred times.
import type { IssueDetails } from "#contract/issue-wire.ts";
import type { RouteName } from "#contract/routes.ts";
import type { Reads } from "#engine/ports/store.ts";
import { issueDetails } from "#views/issue.ts";

const withEntries: readonly RouteName[] = ["issueComment", "issueDocument", "issueMessage"];

interface Packed {
	details: Omit<IssueDetails, "comments" | "documents" | "messages">;
	entries: number[];
	/** the messages that had been delivered */
	delivered: number[];
}

export function packedAnswer(route: RouteName, data: object): object {
	if (!withEntries.includes(route) || !isDetails(data)) return data;
	const { comments, documents, messages, ...details } = data;
	const entries = [...comments, ...documents, ...messages].map(({ id }) => id);
	const delivered = messages.filter((message) => message.delivered).map(({ id }) => id);
	return { details, entries, delivered } satisfies Packed;
}

export async function unpackedAnswer(route: RouteName, given: unknown, reads: Reads): Promise<unknown> {
	if (!isPacked(route, given)) return given;
	const { artifacts, ...issue } = given.details;
	const delivered = new Set(given.delivered);
	const entries = (await Promise.all(given.entries.map((id) => reads.entry(id)))).filter(
		(entry) => entry !== undefined,
	);
	return issueDetails(
		issue,
		entries.map((entry) => (entry.kind === "message" ? { ...entry, delivered: delivered.has(entry.id) } : entry)),
		artifacts,
	);
}

const isDetails = (data: object): data is IssueDetails =>
	"comments" in data && "documents" in data && "messages" in data;

const isPacked = (route: RouteName, given: unknown): given is Packed =>
	withEntries.includes(route) && typeof given === "object" && given !== null && "entries" in given;
