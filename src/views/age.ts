// How long ago something was. It loads no schema, so that the command line can use it.

/** `5 s`, `3 m`, `2 h`, `7 d`. */
export function ageOf(since: string, now: number): string {
	const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
	if (seconds < 60) return `${seconds} s`;
	if (seconds < 3600) return `${Math.floor(seconds / 60)} m`;
	return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
