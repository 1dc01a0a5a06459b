// Shortened lists for messages.

const namesMax = 10;

/** The first of the names, and how many more there are. */
export function abbreviated(names: readonly string[]): string {
	const more = names.length - namesMax;
	return `${names.slice(0, namesMax).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
