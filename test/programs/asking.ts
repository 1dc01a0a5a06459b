// An agent of a vendor that asks before it does something. The last line of a prompt is JSON: `ask`, the call that
// it asks about, and `later`, what the call becomes while somebody is asked, as soon as there is a file `when`. It says
// how it was answered. Anything else it repeats.
import { existsSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import {
	agent,
	methods,
	ndJsonStream,
	PROTOCOL_VERSION,
	type RequestPermissionResponse,
	type SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";

const options = [
	{ optionId: "yes", name: "Yes", kind: "allow_once" as const },
	{ optionId: "no", name: "No", kind: "reject_once" as const },
];
let calls = 0;

const connection = agent({ name: "asking" })
	.onRequest(methods.agent.initialize, async () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
	.onRequest(methods.agent.session.new, async () => ({ sessionId: "1" }))
	.onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt } }) => {
		const text = prompt.map((part) => (part.type === "text" ? part.text : "")).join("");
		const tell = (update: SessionUpdate) =>
			connection.client.notify(methods.client.session.update, { sessionId, update });
		const say = (words: string) =>
			tell({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } });
		const line = text.split("\n").at(-1) ?? "";
		if (!line.startsWith("{")) {
			await say(`got: ${text}`);
			return { stopReason: "end_turn" as const };
		}
		const { ask, later, when }: { ask: object; later?: object; when?: string } = JSON.parse(line);
		const toolCallId = `call-${++calls}`;
		const answer: Promise<RequestPermissionResponse> = connection.client.request(
			methods.client.session.requestPermission,
			{
				sessionId,
				options,
				toolCall: { ...ask, toolCallId },
			},
		);
		while (when !== undefined && !existsSync(when)) await pause(20);
		if (later !== undefined) await tell({ sessionUpdate: "tool_call_update", toolCallId, ...later });
		const { outcome } = await answer;
		await say(outcome.outcome === "selected" ? outcome.optionId : outcome.outcome);
		return { stopReason: "end_turn" as const };
	})
	.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
