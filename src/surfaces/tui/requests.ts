// What the screen asks of the daemon. Each answers what the screen shows next.
import { type Client, Refused } from "#client/client.ts";
import { withAllFiles } from "#client/whole-diff.ts";
import { messageOf } from "#contract/message-of.ts";
import type { Diff } from "#contract/workspace.ts";
import { refusedFiles } from "#views/refused-files.ts";
import { diffPanel, filesOf } from "./diff.ts";
import type { DiffPanel, DiffSource, Effect } from "./model.ts";
import type { SlashAnswer } from "./slash.ts";

export type RequestEffect = Extract<
	Effect,
	{ do: "answer" | "interrupt" | "load" | "load-file" | "queue" | "delete-mail" | "edit-prompt" }
>;

/** `key`: one per request, so that a retry never doubles it. */
export async function request(client: Client, effect: RequestEffect, key: string): Promise<SlashAnswer> {
	switch (effect.do) {
		case "answer": {
			const body = { allow: effect.answer !== "deny", always: effect.answer === "always" };
			await client.call("approvalAnswer", { key, params: { approval: String(effect.approval) }, body });
			return { text: { allow: "allowed", deny: "denied", always: "always allowed" }[effect.answer] };
		}
		case "interrupt":
			await client.call("interrupt", { key, params: { agent: effect.agent }, body: { force: effect.force } });
			return { text: "The turn was stopped; /resume goes on with the queue." };
		case "queue": {
			const params = { agent: effect.agent, prompt: String(effect.prompt) };
			if (effect.change === "remove") await client.call("promptRemove", { key, params });
			else await client.call("promptMove", { key, params, body: effect.change });
			return {};
		}
		case "edit-prompt": {
			const params = { agent: effect.agent, prompt: String(effect.prompt) };
			await client.call("promptEdit", { key, params, body: { text: effect.text } });
			return { text: "The prompt was replaced." };
		}
		case "delete-mail":
			await client.call("mailDelete", { key, params: { agent: effect.agent, mail: String(effect.mail) } });
			return {};
		case "load":
			return await loaded(client, effect);
		case "load-file": {
			const { patch } = await askDiff(client, effect.source, { path: effect.path });
			const [file] = filesOf(patch);
			return file === undefined ? { text: "The file does not differ any more." } : { file };
		}
	}
}

/** What is shown until the answer comes; empty for what answers at once. */
export const waitingText = ({ do: what }: RequestEffect): string =>
	what === "load" || what === "load-file" ? "Loading …" : "";

/** A refusal word for word, with the files that it names and its suggestions, as on the command line. */
export function refusalText(error: unknown): string {
	if (!(error instanceof Refused)) return messageOf(error);
	const { code, message, suggestions } = error.refusal;
	const tries = suggestions.map((suggestion) => `  try: ${suggestion}`);
	return [`${code}: ${message}${tries.join("")}`, ...refusedFiles(error.refusal)].join("\n");
}

async function loaded(
	client: Client,
	{ what, agent, id, handle, back }: Extract<Effect, { do: "load" }>,
): Promise<SlashAnswer> {
	if (what === "diff") return { panel: await loadDiff(client, `changes of ${handle}`, { route: "diff", agent }) };
	const snapshots = await client.call("snapshots", { params: { agent } });
	const at = snapshots.findIndex(({ turn }) => turn === id);
	const [found, earlier] = [snapshots[at], snapshots[at + 1]];
	if (at < 0 || found === undefined) return { text: "The turn changed no files, or its snapshot has expired." };
	const against = earlier?.id ?? "start";
	const title = earlier === undefined ? `${handle} up to turn ${id}` : `turn ${id} of ${handle}`;
	const panel = await loadDiff(client, title, { route: "snapshot", agent, snapshot: found.id, against });
	return { panel: { ...panel, ...(back !== undefined && { back }) } };
}

export async function loadDiff(client: Client, title: string, source: DiffSource): Promise<DiffPanel> {
	const ask = async (part: DiffPart): Promise<Diff> => await askDiff(client, source, part);
	return diffPanel(await withAllFiles(await ask({}), ask), title, source);
}

type DiffPart = { from?: string; path?: string };

async function askDiff(client: Client, source: DiffSource, part: DiffPart): Promise<Diff> {
	const { agent } = source;
	if (source.route === "snapshot") {
		const { snapshot, against } = source;
		return await client.call("snapshot", { params: { agent, snapshot }, query: { ...part, against } });
	}
	return await client.call("diff", { params: { agent }, query: { ...part, project: source.project } });
}
