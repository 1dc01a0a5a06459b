import { expect, test } from "vitest";
import { axisLabels, timeAxis } from "./time-axis.ts";

const minute = 60_000;
const hour = 60 * minute;

test("idle times are collapsed, and order is kept", () => {
	const day = { from: 0, to: 24 * hour };
	const axis = timeAxis(
		[
			{ from: hour, to: 2 * hour },
			{ from: 20 * hour, to: 21 * hour },
		],
		day,
	);
	expect(axis.gaps.map(({ ms }) => ms / hour)).toEqual([1, 18, 3]);
	const times = [0, hour, 1.5 * hour, 2 * hour, 10 * hour, 20 * hour, 21 * hour, 24 * hour].map(axis.at);
	expect(times).toEqual(times.toSorted((a, b) => a - b));
	expect(times.at(0)).toBe(0);
	expect(times.at(-1)).toBeCloseTo(1);
	// an hour of work takes far more room than eighteen idle ones
	expect(axis.at(2 * hour) - axis.at(hour)).toBeGreaterThan(5 * (axis.at(20 * hour) - axis.at(2 * hour)));
});

test("without idle times the axis is even", () => {
	const axis = timeAxis([{ from: 0, to: hour }], { from: 0, to: hour });
	expect(axis.gaps).toEqual([]);
	expect([0, 15, 30, 60].map((at) => axis.at(at * minute))).toEqual(
		[0, 0.25, 0.5, 1].map((at) => expect.closeTo(at, 2)),
	);
	expect(axis.ticks.length).toBeGreaterThan(3);
});

test("a thousand bursts make no axis of gaps only", () => {
	const bursts = Array.from({ length: 1000 }, (_, at) => ({ from: at * hour, to: at * hour + 1000 }));
	const axis = timeAxis(bursts, { from: 0, to: 1000 * hour });
	expect(axis.gaps.length).toBeLessThan(20);
	expect(axis.at(1000 * hour)).toBeCloseTo(1);
});

test("labels have room: the longest idle time is named first", () => {
	const axis = timeAxis([{ from: 6 * hour, to: 6 * hour + 1000 }], { from: 0, to: 24 * hour });
	const distances = (places: readonly { at: number }[]) =>
		places
			.map(({ at }) => at)
			.toSorted((a, b) => a - b)
			.map((at, index, all) => at - (all[index - 1] ?? -1));
	const { gaps, ticks } = axisLabels(axis);
	expect(gaps[0]?.ms).toBe(24 * hour - 6 * hour - 1000);
	expect(Math.min(...distances([...gaps, ...ticks]))).toBeGreaterThan(0.07);
	// without the choice they would cover each other
	expect(Math.min(...distances([...axis.gaps, ...axis.ticks]))).toBeLessThan(0.07);
});

test("labels at the edges have room where they are shown, which is inside of the axis", () => {
	const shown = (...places: number[]) => {
		const ticks = places.map((at) => ({ at, time: at }));
		return axisLabels({ parts: [], at: (time) => time, ticks, gaps: [] }).ticks.map(({ at }) => at);
	};
	expect(shown(0, 0.08, 0.12)).toEqual([0, 0.12]);
	expect(shown(1, 0.92, 0.88)).toEqual([1, 0.88]);
	expect(shown(0.5, 0.58)).toEqual([0.5, 0.58]);
});
