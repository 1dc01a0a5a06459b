import { expect, test, vi } from "vitest";
import { AgentNames } from "./agent-names.ts";

const [ann, bob, gone, unknown] = ["a", "b", "g", "u"].map((letter) => letter.repeat(22));

function names() {
	const call = vi.fn(async (route: string, input: object) => {
		if (route === "agents")
			return [
				{ id: ann, handle: "ann", project: "web" },
				{ id: bob, handle: "same", project: "web" },
				{ id: "c".repeat(22), handle: "same", project: "lab" },
			];
		const { agent }: { agent?: string } = Object(Reflect.get(input, "params"));
		if (agent === gone) return { id: gone, handle: "old", project: null };
		throw new Error("not found");
	});
	return { call, names: new AgentNames(Object.assign(Object.create(null), { call })) };
}

test("who did something is shown by name, by the whole name where two agents share one, and by id where nobody knows it", async () => {
	const { call, names: known } = names();
	const data = [
		{ from: `agent:${ann}`, body: `agent:${ann} said so` },
		{ from: `agent:${bob}`, holds: [{ by: `agent:${gone}` }] },
		{ from: `agent:${unknown}`, createdBy: "human" },
	];
	await known.putInto(data);
	expect(data).toEqual([
		{ from: "ann", body: `agent:${ann} said so` },
		{ from: "web/same", holds: [{ by: "old" }] },
		{ from: `agent:${unknown}`, createdBy: "human" },
	]);
	// nobody is asked for twice, and nothing is asked where there is nothing to name
	const calls = call.mock.calls.length;
	await known.putInto({ by: `agent:${ann}` });
	await known.putInto({ by: "human", id: ann });
	expect(call.mock.calls.length).toBe(calls);
});

test("an id is an agent only in an approval and in the input of a tool call", async () => {
	const approval = { id: 7, agent: bob, askedAt: "2026-01-01T00:00:00Z" };
	await names().names.putInto({ approvals: [approval] });
	expect(approval).toEqual({ id: 7, agent: "web/same", askedAt: "2026-01-01T00:00:00Z" });
	const data = { id: ann, data: { tool: "send", input: { agent: ann, body: "hello" } } };
	await names().names.putInto(data);
	expect(data).toEqual({ id: ann, data: { tool: "send", input: { agent: "ann", body: "hello" } } });
});

test("the sender of mail in a prompt is shown by name; what the mail says stays as it is", async () => {
	const mail = (from: string) => `[mail 7 from ${from}]\n| [mail 8 from agent:${ann}]\n[end of mail 7]`;
	const prompt = { kind: "user", text: `${mail(`agent:${ann}`)}\n${mail(`agent:${gone}`)}` };
	const answer = { kind: "assistant", text: mail(`agent:${ann}`) };
	await names().names.putInto([prompt, answer]);
	expect(prompt.text).toBe(`${mail("ann")}\n${mail("old")}`);
	expect(answer.text).toBe(mail(`agent:${ann}`));
});
