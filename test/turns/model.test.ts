// Queue, turns, mail, waits, approvals, signals and crashes in random orders. After every step nothing that was
// accepted is missing, nothing runs twice, nothing reaches another agent, and a stop is a stop.
import fc from "fast-check";
import { expect, test } from "vitest";
import { Program, type Step } from "./model.ts";

const runs = process.env["BROOD_TORTURE"] ? 20_000 : 1000;
const stepsMax = 100;

const agent = fc.nat(5);
const turn = fc.nat(5);
const place = fc.nat(7);
const one = <const T extends string>(...names: T[]) => fc.constantFrom(...names);
const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 7,
		arbitrary: fc.record({
			do: one("prompt"),
			agent,
			front: fc.boolean(),
			now: fc.nat(4).map((n) => n === 0),
			priority: fc.integer({ min: -2, max: 2 }),
		}),
	},
	{ weight: 7, arbitrary: fc.record({ do: one("finish"), turn, how: one("completed", "failed") }) },
	{ weight: 3, arbitrary: fc.record({ do: one("mail"), agent, urgent: fc.boolean() }) },
	{ weight: 3, arbitrary: fc.record({ do: one("interrupt"), agent, resume: fc.boolean() }) },
	{ weight: 3, arbitrary: fc.record({ do: one("edit", "move", "cancel"), agent, place }) },
	{ weight: 4, arbitrary: fc.record({ do: one("call", "result", "ask"), turn }) },
	{ weight: 2, arbitrary: fc.record({ do: one("answer"), allow: fc.boolean() }) },
	{ weight: 2, arbitrary: fc.record({ do: one("wait"), turn, agent }) },
	{ weight: 4, arbitrary: fc.record({ do: one("read", "pause", "resume", "resume", "retry", "fork"), agent }) },
	{ weight: 1, arbitrary: fc.record({ do: one("kill", "clear", "delete"), agent }) },
	{ weight: 3, arbitrary: fc.record({ do: one("crash", "slow", "quick", "quick") }) },
);
const steps = fc.array(step, { minLength: 1, maxLength: stepsMax, size: "max" });

test("a daemon that runs interrupted prompts again does not survive", { timeout: 600_000 }, async () => {
	const property = fc.asyncProperty(steps, async (each) => {
		await new Program({ naive: true }).run(each);
	});
	expect((await fc.check(property, { numRuns: 300, endOnFailure: true })).failed).toBe(true);
});

test(`${runs} random programs of up to ${stepsMax} steps`, { timeout: 3_600_000 }, async () => {
	let [accepted, returned, manual] = [0, 0, 0];
	await fc.assert(
		fc.asyncProperty(steps, async (each) => {
			const program = new Program();
			await program.run(each);
			accepted += program.ledger.acceptedCount;
			returned += program.ledger.returned;
			manual += program.ledger.manualTurns;
		}),
		{ numRuns: runs },
	);
	expect(accepted).toBeGreaterThan(runs);
	expect(returned).toBeGreaterThan(2);
	expect(manual).toBeGreaterThan(runs / 10);
});
