import { expect, test } from "vitest";
import { collections } from "./idle-memory.ts";

function heapOf(usedBytes: number) {
	const heap = { used: usedBytes, collected: 0 };
	const idle = collections({
		usedBytes: () => heap.used,
		collect() {
			heap.collected += 1;
			heap.used = 100;
		},
	});
	return { heap, idle };
}

test("an idle interval collects what the start has left behind, once", () => {
	const { heap, idle } = heapOf(300);
	for (const utilization of [0.001, 0.001, 0]) idle(utilization);
	expect(heap).toEqual({ used: 100, collected: 1 });
});

test("a busy thread is left alone, and collected when it has become idle", () => {
	const { heap, idle } = heapOf(300);
	idle(0.5);
	expect(heap).toEqual({ used: 300, collected: 0 });
	idle(0);
	expect(heap).toEqual({ used: 100, collected: 1 });
});

test("a heap that has hardly grown since is not collected again", () => {
	const { heap, idle } = heapOf(300);
	idle(0);
	heap.used = 105;
	idle(0);
	expect(heap).toEqual({ used: 105, collected: 1 });
	heap.used = 200;
	idle(0);
	expect(heap).toEqual({ used: 100, collected: 2 });
});
