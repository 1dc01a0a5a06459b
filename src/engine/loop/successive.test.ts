import { expect, test } from "vitest";
import { Successive } from "./successive.ts";

test("who asks during a run gets one that begins after it, and all who ask meanwhile share that one", async () => {
	const successive = new Successive<string, number>();
	const gates: PromiseWithResolvers<void>[] = [];
	let base = 1;
	const seen: number[] = [];
	const look = async (): Promise<number> => {
		const found = base;
		const gate = Promise.withResolvers<void>();
		gates.push(gate);
		await gate.promise;
		seen.push(found);
		return found;
	};
	const first = successive.run("a", look);
	base = 2;
	const [second, third] = [successive.run("a", look), successive.run("a", look)];
	const other = successive.run("b", look);
	expect(gates).toHaveLength(2);
	gates[0]?.resolve();
	gates[1]?.resolve();
	expect(await Promise.all([first, other])).toEqual([1, 2]);
	await expect.poll(() => gates.length).toBe(3);
	gates[2]?.resolve();
	expect(await Promise.all([second, third])).toEqual([2, 2]);
	expect(seen).toEqual([1, 2, 2]);
	// afterwards a run begins at once again
	base = 3;
	const last = successive.run("a", look);
	expect(gates).toHaveLength(4);
	gates[3]?.resolve();
	expect(await last).toBe(3);
});
