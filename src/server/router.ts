// Finds what a method and a path mean.

export interface FoundRoute<T> {
	value: T;
	/** the path of the table, with `:name` for each parameter */
	pattern: string;
	params: Readonly<Record<string, string>>;
}

interface Entry<T> {
	pattern: string;
	segments: readonly string[];
	value: T;
}

export class Router<T> {
	/** by the method, the number of segments and the second of them, which is never a parameter */
	readonly #entries = new Map<string, Entry<T>[]>();

	add(method: string, pattern: string, value: T): void {
		const segments = pattern.split("/");
		const key = keyOf(method.toUpperCase(), segments);
		this.#entries.set(key, [...(this.#entries.get(key) ?? []), { pattern, segments, value }]);
	}

	/** The first entry of the table that matches. */
	find(method: string, path: string): FoundRoute<T> | null {
		const segments = path.split("/").map(decoded);
		// the answer to HEAD is the one to GET without its body
		for (const { pattern, segments: wanted, value } of this.#entries.get(
			keyOf(method === "HEAD" ? "GET" : method, segments),
		) ?? []) {
			if (!wanted.every((each, at) => (each.startsWith(":") ? segments[at] !== "" : segments[at] === each))) continue;
			const params = wanted.flatMap((each, at): [string, string][] =>
				each.startsWith(":") ? [[each.slice(1), segments[at] ?? ""]] : [],
			);
			return { value, pattern, params: Object.fromEntries(params) };
		}
		return null;
	}
}

const keyOf = (method: string, segments: readonly string[]): string => `${method} ${segments.length} ${segments[2]}`;

/** A segment that cannot be decoded names nothing, and stays as it was sent. */
function decoded(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return segment;
	}
}
