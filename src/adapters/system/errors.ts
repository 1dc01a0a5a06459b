// Reading what was thrown, and reading what may be missing.

/** A system error's code, such as ENOENT. */
export const codeOf = (error: unknown): string | null =>
	error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;

/** For `catch`: null if there is no such file. */
export function nullIfMissing(error: unknown): null {
	// a path through a file, or through a link to itself, is missing too
	if (["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(error) ?? "")) return null;
	throw error;
}

/** The result of `read`, or `fallback` if it throws. */
export function attempt<T, F>(read: () => T, fallback: F): T | F {
	try {
		return read();
	} catch {
		return fallback;
	}
}

/** Undefined for text that is not JSON. */
export const parseJson = (text: string): unknown => attempt((): unknown => JSON.parse(text), undefined);
