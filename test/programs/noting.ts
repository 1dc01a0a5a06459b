// An agent of a vendor that keeps every prompt exactly as it got it: a line of JSON in the file that NOTES names.
// The first prompt that says "hang" is never answered, and the first that says "limit" meets a usage limit of a moment.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk/unstable";

const notes = process.env["NOTES"] ?? "";
const self = JSON.stringify(process.env["BROOD_AGENT"]);
/** whatever process of the same agent got it before */
const before = (): string[] =>
	existsSync(notes)
		? readFileSync(notes, "utf8")
				.split("\n")
				.filter((line) => line.startsWith(`[${self}`))
		: [];
let stop = Promise.withResolvers<void>();

agent({ name: "noting" })
	.onRequest(methods.agent.initialize, async () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
	.onRequest(methods.agent.session.new, async () => ({ sessionId: "1" }))
	.onNotification(methods.agent.session.cancel, async () => stop.resolve())
	.onRequest(methods.agent.session.prompt, async ({ params: { prompt } }) => {
		stop = Promise.withResolvers();
		const text = prompt.map((part) => (part.type === "text" ? part.text : "")).join("");
		const earlier = before().join("");
		const first = (word: string): boolean => text.includes(word) && !earlier.includes(word);
		appendFileSync(notes, `[${self},${JSON.stringify(text)}]\n`);
		if (first("limit")) throw new RequestError(-32_603, "You've hit your usage limit. Try again in 1 seconds.");
		if (!first("hang")) return { stopReason: "end_turn" as const };
		await stop.promise;
		return { stopReason: "cancelled" as const };
	})
	.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
