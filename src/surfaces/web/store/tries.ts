// When to ask again for what nobody has answered. The stream may be open meanwhile: a browser without a network keeps
// it.
import { useEffect, useRef, useState } from "react";

/** waits before another try, by the number of failures in a row */
const backoffMs = [1000, 2000, 4000, 8000, 15_000];

/** Grows while something has failed: after a while, and as soon as the browser has a network again. */
export function useTries(isFailed: boolean): number {
	const [tries, setTries] = useState(0);
	const failures = useRef(0);
	// biome-ignore lint/correctness/useExhaustiveDependencies: each try that failed is followed by another one
	useEffect(() => {
		if (!isFailed) {
			failures.current = 0;
			return;
		}
		const again = (): void => setTries((count) => count + 1);
		const timer = setTimeout(again, backoffMs[Math.min(failures.current++, backoffMs.length - 1)]);
		addEventListener("online", again);
		return () => {
			clearTimeout(timer);
			removeEventListener("online", again);
		};
	}, [isFailed, tries]);
	return tries;
}
