import { expect, test, vi } from "vitest";
import { whenBusy } from "./busy.ts";

test("work begins once, after the first busy interval and not before", () => {
	vi.useFakeTimers();
	try {
		const shares = [0, 0.1, 0.24, 0.5, 0.9];
		const work = vi.fn();
		whenBusy(work, { utilization: () => shares.shift() ?? 1 });
		vi.advanceTimersByTime(3000);
		expect(work).not.toHaveBeenCalled();
		vi.advanceTimersByTime(1000);
		expect(work).toHaveBeenCalledTimes(1);
		vi.advanceTimersByTime(10_000);
		expect(work).toHaveBeenCalledTimes(1);
	} finally {
		vi.useRealTimers();
	}
});
