// An agent that keeps conversations in sessions of its own, as vendors' programs do: a file for each, in the folder
// that SESSIONS names. It answers every prompt with all that it was ever told in the session.
import { appendFileSync, copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import {
	agent,
	methods,
	ndJsonStream,
	PROTOCOL_VERSION,
	RequestError,
	type SessionConfigOption,
} from "@agentclientprotocol/sdk/unstable";

const folder = process.env["SESSIONS"] ?? ".";
const fileOf = (session: string): string => path.join(folder, `${session}.txt`);
let count = 0;
const fresh = (): string => `s-${process.pid}-${performance.timeOrigin.toFixed(0)}-${++count}`;
const known = (session: string): string => {
	if (!existsSync(fileOf(session))) throw new RequestError(-32_602, "there is no such session");
	return session;
};

const choices = ["low", "high"].map((value) => ({ value, name: value }));
const effort: SessionConfigOption = {
	id: "effort",
	name: "Effort",
	type: "select",
	currentValue: "low",
	options: choices,
};

const model: SessionConfigOption = {
	id: "model",
	name: "Model",
	category: "model",
	type: "select",
	currentValue: "small",
	options: ["small", "big"].map((value) => ({ value, name: value })),
};

const connection = agent({ name: "remembering" })
	.onRequest(methods.agent.initialize, async () => ({
		protocolVersion: PROTOCOL_VERSION,
		agentInfo: { name: "remembering", version: "1" },
		agentCapabilities: { sessionCapabilities: { resume: {}, fork: {}, close: {} } },
	}))
	.onRequest(methods.agent.session.new, async () => {
		const sessionId = fresh();
		writeFileSync(fileOf(sessionId), "");
		return {
			sessionId,
			configOptions: [effort, model],
			modes: { currentModeId: "work", availableModes: ["work", "plan"].map((id) => ({ id, name: id })) },
		};
	})
	.onRequest(methods.agent.session.setConfigOption, async ({ params: { sessionId, configId, value } }) => {
		appendFileSync(fileOf(sessionId), `(${configId} is ${value})\n`);
		return { configOptions: [effort] };
	})
	.onRequest(methods.agent.session.setMode, async ({ params: { sessionId, modeId } }) => {
		appendFileSync(fileOf(sessionId), `(mode is ${modeId})\n`);
		return {};
	})
	.onRequest(methods.agent.session.resume, async ({ params }) => {
		known(params.sessionId);
		return {};
	})
	.onRequest(methods.agent.session.fork, async ({ params }) => {
		const sessionId = fresh();
		copyFileSync(fileOf(known(params.sessionId)), fileOf(sessionId));
		return { sessionId };
	})
	.onRequest(methods.agent.session.close, async ({ params }) => {
		writeFileSync(path.join(folder, `${params.sessionId}.closed`), "");
		// one that takes its time
		if (process.env["CLOSES"] === "never") await new Promise(() => {});
		return {};
	})
	.onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt } }) => {
		const text = prompt.map((part) => (part.type === "text" ? part.text : "")).join("");
		if (text.endsWith("fail")) throw new RequestError(-32_603, "You've hit your usage limit. Try again in 1 hour.");
		appendFileSync(fileOf(known(sessionId)), `${text}\n`);
		const update = {
			sessionUpdate: "agent_message_chunk" as const,
			content: { type: "text" as const, text: readFileSync(fileOf(sessionId), "utf8") },
		};
		await connection.client.notify(methods.client.session.update, { sessionId, update });
		const size = Number(process.env["WINDOW"] ?? 0);
		if (size > 0)
			await connection.client.notify(methods.client.session.update, {
				sessionId,
				update: { sessionUpdate: "usage_update", used: 1, size },
			});
		// what the whole session has cost, as vendors' programs tell it
		const [, dollars] = /costs (\d+)$/.exec(text) ?? [];
		const cost = { amount: Number(dollars), currency: "USD" };
		if (dollars !== undefined)
			await connection.client.notify(methods.client.session.update, {
				sessionId,
				update: { sessionUpdate: "usage_update", used: 1, size: 1000, cost },
			});
		return { stopReason: "end_turn" as const, usage: { totalTokens: 3, inputTokens: 2, outputTokens: 1 } };
	})
	.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
