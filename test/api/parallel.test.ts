// First use by several at once: all of them get the one daemon.
import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { shell } from "#test/support/cli.ts";

const rounds = process.env["BROOD_TORTURE"] ? 20 : 1;
const atOnce = 8;

test(`${atOnce} commands that start the daemon at the same moment all use the same one, on a fresh home and on one that was used`, {
	timeout: rounds * 120_000,
}, async () => {
	for (let round = 0; round < rounds; round++) {
		const sh = shell();
		for (const words of process.env["BROOD_TORTURE"]
			? [["up"], ["agent", "list"], ["status"]]
			: [["up"], ["agent", "list"]]) {
			const answers = await Promise.all(Array.from({ length: atOnce }, () => sh.json(...words)));
			expect(answers.map(({ code, error }) => [code, error])).toEqual(answers.map(() => [0, undefined]));
			const { data } = await sh.json("status");
			if (words[0] !== "agent") expect(answers.map((answer) => answer.data.pid)).toEqual(answers.map(() => data.pid));
			// every second time it is killed, so that what it left behind is in the way
			if (round % 2 === 0) await sh.brood("down");
			else process.kill(data.pid, "SIGKILL");
		}
		await sh.brood("down");
		rmSync(sh.home, { recursive: true, force: true });
	}
});
