// One daemon per home, by a lock of the kernel.
import { expect, test } from "vitest";
import { runProgram } from "#test/support/process.ts";
import { freshFolder } from "#test/support/stores.ts";

test("of eight that want a home at the same moment exactly one gets it, in each of 20 rounds", {
	timeout: 60_000,
}, async () => {
	const home = freshFolder();
	for (let round = 0; round < 20; round++) {
		const go = Promise.withResolvers<string>();
		let waiting = 8;
		let answered = 0;
		const holders: (() => void)[] = [];
		const ran = await Promise.all(
			Array.from({ length: 8 }, () =>
				runProgram("holder", [home], {
					input: go.promise,
					watch(line, child) {
						if (line === "ready" && --waiting === 0) go.resolve("go\n");
						if (line === "mine") holders.push(() => void child.kill("SIGKILL"));
						if (line === "mine" || line === "held") answered++;
						if (answered === 8) for (const kill of holders) kill();
					},
				}),
			),
		);
		expect(ran.flatMap(({ lines }) => lines).filter((line) => line === "mine")).toHaveLength(1);
	}
});
