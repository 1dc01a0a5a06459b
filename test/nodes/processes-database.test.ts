// N4: three daemons as processes, and a database that is away, or whose answers are lost.
import { describe, expect, test } from "vitest";
import { shell } from "#test/support/cli.ts";
import { agentAt, give, label, testFolded, tokens, Worlds } from "#test/support/node-work.ts";
import { counted, eventually, type NodeProcess } from "#test/support/nodes.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
/** how long, and how slow each way if it is not away; most are short, those of a minute are few */
const outages = torture
	? Array.from({ length: 200 }, (_, at) => ({
			ms: at % 40 === 0 ? 60_000 : 1000 * (1 + (at % 10)),
			slow: at % 4 === 3 ? Math.round(7.5 * at) : 0,
		}))
	: [{ ms: 7500, slow: 0 }];
const writers = torture ? 16 : 4;
const lostMax = torture ? 500 : 10;

/** Of all nodes, when they fell last. */
const fallsSeen = async (by: NodeProcess): Promise<(string | null)[]> =>
	(await by.client.call("nodes")).map(({ fellAt }) => fellAt);

/**
 * `status` claims nothing that it cannot know, and `doctor` names the database once and asks nothing that has to wait.
 */
async function expectOutageReported(node: NodeProcess): Promise<void> {
	const text = expect.stringMatching(/the database has not answered for \d+ s; the processes of all agents are frozen/);
	const sh = shell(node.home);
	const [status, database, said, doctor] = await Promise.all([
		node.client.call("status"),
		node.client.call("database").catch((error: unknown) => error),
		sh.brood("status"),
		sh.json("doctor"),
	]);
	expect(status).toMatchObject({ agents: null, turns: null, problems: [{ what: "database", text }] });
	expect(database).toMatchObject({ refusal: { code: "STORE_UNAVAILABLE" } });
	expect(said.out).toContain("\nagents and turns unknown until the database answers\nFIX database: ");
	const wrong = doctor.data.findings.filter(({ ok }: { ok: boolean }) => !ok);
	expect(wrong).toEqual([{ name: "database", ok: false, text, fix: expect.stringContaining("PostgreSQL runs") }]);
}

describe("three daemons and their database", { timeout: torture ? 7_200_000 : 120_000 }, () => {
	const worlds = new Worlds(torture ? 5 : 1);

	test("the database is away or slow: all processes stand still, nobody falls, and every turn goes on", async () => {
		const left = [...outages];
		await worlds.share(worlds.all.length, async ({ all }) => {
			const nodes = all();
			const [one] = nodes;
			const jobs = await Promise.all(nodes.map(agentAt));
			for (const job of jobs) await give(one, job, "only");
			await eventually("all run", () => jobs.every(({ sleeps }) => counted(sleeps).running === 1));
			const before = await fallsSeen(one);
			for (let next = left.pop(); next !== undefined; next = left.pop()) {
				const { ms, slow } = next;
				for (const { proxy } of nodes)
					if (slow > 0) proxy.slow(slow);
					else proxy.cut("to the server", "to the client");
				const over = new Promise((resolve) => setTimeout(resolve, ms));
				if (ms > 7000 && slow === 0) {
					await eventually("all are frozen", () => jobs.every(({ sleeps }) => counted(sleeps).running === 0), ms);
					await expectOutageReported(one);
				}
				await over;
				for (const { proxy } of nodes) {
					proxy.slow(0);
					proxy.heal();
				}
				await eventually("all go on", () => jobs.every(({ sleeps }) => counted(sleeps).running === 1));
			}
			const labels = await Promise.all(jobs.map((job) => label(one, job)));
			expect([await fallsSeen(one), labels]).toEqual([before, labels.map(() => "running")]);
			expect(jobs.map(({ file }) => tokens(file))).toEqual(jobs.map(() => ["only"]));
		});
	});

	/** Prompts for an agent that does nothing, through this node, until this many answers to COMMITs are lost. */
	async function loseAnswers(node: NodeProcess, count: number): Promise<{ said: string[]; landed: string[] }> {
		const { agent } = await agentAt(node);
		await node.client.ask("pause", { params: { agent }, body: {} });
		const [said, before]: [string[], number] = [[], node.proxy.lost];
		const write = async (writer: number): Promise<void> => {
			for (let at = 0; node.proxy.lost - before < count; at++) {
				// one after the other: each batch that follows is one whose answer came
				if (writer === 0) node.proxy.loseCommits(1);
				const text = `${agent} ${writer} ${at}`;
				await node.client.ask("prompt", { params: { agent }, body: { text } });
				said.push(text);
			}
		};
		await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
		const { rows } = await worlds.first.query("select text from event where text like $1", [`${agent} %`]);
		return { said: said.sort(), landed: rows.map(({ text }) => text).sort() };
	}

	test(`the answers to ${lostMax} COMMITs are lost: everything is written once, and acknowledged`, async () => {
		const [, two] = worlds.first.all();
		const { said, landed } = await loseAnswers(two, lostMax);
		expect(said.length).toBeGreaterThanOrEqual(lostMax);
		expect(landed).toEqual(said);
	});

	test("control: without the mark of a batch it is written again", async () => {
		const [, two] = worlds.first.all();
		await worlds.first.query(`create function no_mark() returns trigger language plpgsql as $$ begin new.batch := 0; return new; end $$;
			create trigger no_mark before update on writer for each row execute function no_mark()`);
		const { said, landed } = await loseAnswers(two, 1);
		await worlds.first.query("drop trigger no_mark on writer");
		expect(landed.length).toBeGreaterThan(said.length);
	});

	testFolded(worlds);
});
