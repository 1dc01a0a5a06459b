import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { AgentId } from "#contract/ids.ts";
import { answerApproval } from "./answer-approval.ts";

const agent = AgentId.parse("a".repeat(22));
const pending = {
	...{ id: 27, agent, handles: ["init", "bob"], state: "pending", tool: "execute", title: "npm test", content: "" },
	...{ files: [], inside: false, askedAt: "2026-01-02T03:04:05.678Z", answeredBy: null, reason: null },
};

/** A daemon with one approval, and the terminal that it is shown in. */
function question(command: string) {
	let approval = { ...pending, command: { line: command, folder: null } };
	const settled = Promise.withResolvers<object>();
	const answers: object[] = [];
	const client = {
		call: async (route: string, { body }: { body?: object } = {}) => {
			if (body !== undefined) answers.push(body);
			return route === "approval" ? approval : [];
		},
		follow: async function* () {
			yield { event: await settled.promise };
		},
	};
	const [input, output] = [new PassThrough(), new PassThrough()];
	let shown = "";
	output.on("data", (data) => {
		shown += String(data);
	});
	return {
		answers,
		type: (line: string) => input.write(`${line}\n`),
		shows: async (words: string) => await expect.poll(() => shown).toContain(words),
		shown: () => shown,
		settle(kind: string, data: object, change: object) {
			approval = { ...approval, ...change };
			settled.resolve({ id: 28, kind, agent, data });
		},
		// biome-ignore lint/suspicious/noExplicitAny: as much of a client as this needs
		done: answerApproval(client as any, 27, { interactive: true, say: null, terminal: { input, output } }),
	};
}

test("a question that is answered elsewhere is withdrawn from the terminal, which says how and by whom", async () => {
	const { done, shows, settle, shown, answers } = question("npm test");
	await shows("Allow?");
	settle("approval.answered", { approval: 27, allowed: true, option: null }, { state: "allowed", answeredBy: "human" });
	await done;
	expect(shown()).toContain("answered elsewhere: allowed by human\n");
	expect(answers).toEqual([]);
});

test("a question whose turn has ended is withdrawn too", async () => {
	const { done, shows, settle, shown } = question("npm test");
	await shows("Allow?");
	settle("approval.cancelled", { approvals: [27] }, { state: "cancelled" });
	await done;
	expect(shown()).toContain("cancelled: its turn is over");
});

test("a prefix is neither offered nor taken where none can be given, and is refused before it is asked about", async () => {
	const piped = question("node --test 2>&1 | tail -5");
	await piped.shows("Allow? [y]es [a]lways [n]o [?]");
	piped.type("p node --test");
	await piped.shows("not about a simple shell command");
	piped.type("y");
	await piped.done;
	const simple = question("npm test -- --grep a");
	await simple.shows("[p]refix WORDS");
	simple.type("p npm run");
	await simple.shows("does not begin with: npm run");
	simple.type("p npm test");
	await simple.shows("Allow all of these?");
	simple.type("y");
	await simple.done;
	expect([piped.shown().includes("Allow all of these?"), piped.answers, simple.answers]).toEqual([
		false,
		[{ allow: true, always: false, reason: "" }],
		[{ allow: true, always: true, prefix: "npm test", reason: "" }],
	]);
});
