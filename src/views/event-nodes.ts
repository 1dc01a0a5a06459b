// Events for people: with the names of nodes in place of their ids.

/** The fields of events that have a node's id. */
const nodeFields = ["node", "askedNode", "replacedBy"];

/** `nameOf` answers undefined for a node that nobody knows any more: its id stays. */
export function withNodeNames<E extends { kind: string; data: unknown }>(
	event: E,
	nameOf: (id: string) => string | undefined,
): E {
	return { ...event, data: named(event.data) };

	function named(value: unknown): unknown {
		if (Array.isArray(value)) return value.map(named);
		if (typeof value !== "object" || value === null) return value;
		return Object.fromEntries(
			Object.entries(value).map(([key, each]: [string, unknown]) => [
				key,
				nodeFields.includes(key) && typeof each === "string" ? (nameOf(each) ?? each) : named(each),
			]),
		);
	}
}
