import { expect, test } from "vitest";
import { type Part, type Running, Supervisor } from "./supervisor.ts";

/** Parts that write down what happens to them and can be made to fail. */
function stage(names: string[]) {
	const log: string[] = [];
	const fail = new Map<string, (error: Error) => void>();
	const parts: Part[] = names.map((name) => ({
		name,
		async start(): Promise<Running> {
			log.push(`+${name}`);
			const ended = Promise.withResolvers<void>();
			ended.promise.catch(() => {});
			fail.set(name, ended.reject);
			return { ended: ended.promise, [Symbol.asyncDispose]: async () => void log.push(`-${name}`) };
		},
	}));
	return { log, parts, fail: (name: string) => fail.get(name)?.(new Error(`${name} broke`)) };
}

let now = 0;
const intensity = { restartsMax: 2, periodMs: 1000, clock: { now: () => now } };
const until = async (condition: () => boolean): Promise<void> => await expect.poll(condition).toBe(true);

test("parts start in order and stop in reverse, once", async () => {
	const { log, parts } = stage(["store", "engine", "door"]);
	const supervisor = await Supervisor.start(parts, intensity);
	await supervisor[Symbol.asyncDispose]();
	await supervisor[Symbol.asyncDispose]();
	expect(log).toEqual(["+store", "+engine", "+door", "-door", "-engine", "-store"]);
});

test("a part that fails is started again, with all that rely on it", async () => {
	const { log, parts, fail } = stage(["store", "engine", "door"]);
	await using _ = await Supervisor.start(parts, intensity);
	fail("engine");
	await until(() => log.length === 7);
	expect(log.slice(3)).toEqual(["-door", "-engine", "+engine", "+door"]);
});

test("a part that fails again and again makes the supervisor stop everything and say why", async () => {
	const { log, parts, fail } = stage(["store", "engine"]);
	const supervisor = await Supervisor.start(parts, intensity);
	for (const starts of [2, 3]) {
		fail("engine");
		await until(() => log.filter((line) => line === "+engine").length === starts);
	}
	fail("engine");
	expect(await supervisor.failed).toMatchObject({ message: "engine failed", cause: { message: "engine broke" } });
	expect(log.at(-1)).toBe("-store");
	expect(log.filter((line) => line === "+engine")).toHaveLength(3);
});

test("failures far apart do not add up", async () => {
	const { log, parts, fail } = stage(["store"]);
	await using _ = await Supervisor.start(parts, intensity);
	for (let starts = 2; starts < 8; starts++) {
		now += 600;
		fail("store");
		await until(() => log.filter((line) => line === "+store").length === starts);
	}
});

test("if a part cannot start, those before it are stopped and the reason is thrown", async () => {
	const { log, parts } = stage(["store"]);
	const broken: Part = { name: "door", start: async () => Promise.reject(new Error("the port is taken")) };
	await expect(Supervisor.start([...parts, broken], intensity)).rejects.toThrow("the port is taken");
	expect(log).toEqual(["+store", "-store"]);
});
