import { expect, test } from "vitest";
import { noLog } from "../ports/log.ts";
import { type Part, PartRunner, type Running } from "./part-runner.ts";

/** Parts that write down what happens to them and can be made to fail. */
function stage(names: string[]) {
	const log: string[] = [];
	const fail = new Map<string, (error: Error) => void>();
	const parts: Part[] = names.map((name) => ({
		name,
		async start(): Promise<Running> {
			log.push(`+${name}`);
			const ended = Promise.withResolvers<void>();
			fail.set(name, ended.reject);
			return { ended: ended.promise, [Symbol.asyncDispose]: async () => void log.push(`-${name}`) };
		},
	}));
	return { log, parts, fail: (name: string) => fail.get(name)?.(new Error(`${name} broke`)) };
}

let now = 0;
const said: string[] = [];
const log = {
	...noLog,
	warn: (_: string, text: string) => void said.push(`warn ${text}`),
	error: (_: string, text: string) => void said.push(`error ${text}`),
};
const policy = { restartsMax: 2, periodMs: 1000, retryMs: 10, clock: { now: () => now }, log };
const until = async (condition: () => boolean): Promise<void> => await expect.poll(condition).toBe(true);

test("parts start in order and stop in reverse, once", async () => {
	const { log, parts } = stage(["store", "engine", "listener"]);
	const runner = await PartRunner.start(parts, policy);
	await runner[Symbol.asyncDispose]();
	await runner[Symbol.asyncDispose]();
	expect(log).toEqual(["+store", "+engine", "+listener", "-listener", "-engine", "-store"]);
});

test("a part that fails is restarted alone, and the log says so", async () => {
	const { log, parts, fail } = stage(["provision", "issues", "waits"]);
	await using runner = await PartRunner.start(parts, policy);
	said.length = 0;
	fail("issues");
	await until(() => log.length === 5);
	expect(log.slice(3)).toEqual(["-issues", "+issues"]);
	expect(said).toEqual(["warn issues failed and is restarted"]);
	expect(runner.degraded).toEqual([]);
});

test("a part that fails again and again counts as degraded, is tried again, and the others go on", async () => {
	const { log, parts, fail } = stage(["provision", "issues"]);
	await using runner = await PartRunner.start(parts, { ...policy, periodMs: 100 });
	said.length = 0;
	for (const starts of [2, 3, 4, 5]) {
		fail("issues");
		await until(() => log.filter((line) => line === "+issues").length === starts);
	}
	expect(runner.degraded).toEqual([{ name: "issues", since: now, reason: "issues broke" }]);
	expect(said.map((line) => line.split(" ")[0])).toEqual(["warn", "warn", "error", "error"]);
	expect(log.filter((line) => line.endsWith("provision"))).toEqual(["+provision"]);
	// it stays up for a whole period
	await until(() => runner.degraded.length === 0);
});

test("failures far apart do not add up", async () => {
	const { log, parts, fail } = stage(["store"]);
	await using runner = await PartRunner.start(parts, policy);
	for (let starts = 2; starts < 8; starts++) {
		now += 600;
		fail("store");
		await until(() => log.filter((line) => line === "+store").length === starts);
		expect(runner.degraded).toEqual([]);
	}
});

test("if a part cannot start, those before it are stopped and the reason is thrown", async () => {
	const { log, parts } = stage(["store"]);
	const broken: Part = { name: "listener", start: async () => Promise.reject(new Error("the port is taken")) };
	await expect(PartRunner.start([...parts, broken], policy)).rejects.toThrow("the port is taken");
	expect(log).toEqual(["+store", "-store"]);
});

test("a part that cannot be started again is tried again like one that failed", async () => {
	const { log, parts, fail } = stage(["store"]);
	let refuses = 2;
	const start = async (): Promise<Running> => {
		if (log.length > 0 && refuses-- > 0) throw new Error("not now");
		return (await parts[0]?.start()) ?? Promise.reject(new Error("no part"));
	};
	await using runner = await PartRunner.start([{ name: "store", start }], {
		...policy,
		restartsMax: 1,
		periodMs: 50,
	});
	fail("store");
	await until(() => log.filter((line) => line === "+store").length === 2);
	await until(() => runner.degraded.length === 0);
	expect(refuses).toBe(-1);
});
