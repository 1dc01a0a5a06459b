// First use by several at once: all of them get the one daemon.
import { rmSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { upgradeSignal } from "#local/signals.ts";
import { running } from "#surfaces/cli/connect.ts";
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

test("requests that meet a daemon while it is being replaced are answered by the next one, once each", {
	timeout: rounds * 60_000,
}, async () => {
	const sh = shell();
	vi.stubEnv("BROOD_HOME", sh.home);
	const { data: first } = await sh.json("up");
	const found = await running();
	const sent: string[] = [];
	let isOver = false;
	const send = async (sender: number): Promise<void> => {
		for (let at = 0; !isOver; at++) {
			const text = `mail-${sender}-${at}`;
			sent.push(text);
			await found?.client.call("send", { key: text, params: { agent: "init" }, body: { body: text } });
		}
	};
	const sending = Array.from({ length: atOnce }, (_, sender) => send(sender));
	let { pid } = first;
	for (let round = 0; round < 3 * rounds; round++) {
		process.kill(pid, upgradeSignal);
		await vi.waitFor(async () => expect(pid).not.toBe((await running())?.status?.pid ?? pid), 20_000);
		pid = (await running())?.status?.pid ?? 0;
	}
	isOver = true;
	await Promise.all(sending);
	const { data: mails } = await sh.json("mail", "check", "init");
	expect(mails.map(({ body }: { body: string }) => body).toSorted()).toEqual(sent.toSorted());
	await sh.brood("down");
});
