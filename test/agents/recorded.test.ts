// Whether the real programs still send the messages that were recorded, in the same shape. A difference comes from a
// new version of the program: check it, then record it with BROOD_RECORD=1 npm run test:agents recorded.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { expect, test } from "vitest";
import { launch } from "#adapters/driver/acp/launch.ts";
import { adapterCommand } from "#adapters/driver/install.ts";
import { vendors } from "#adapters/driver/vendors/vendors.ts";
import { FakeModel } from "#test/support/fake-model/server.ts";
import { adaptersIn, install } from "./install.ts";
import { type Kit, kits } from "./kits.ts";

const folder = path.resolve("test/agents/recorded");

test.each(Object.values(kits))("$type speaks as it was recorded", { timeout: 180_000 }, async (kit) => {
	const name = `${kit.type}-${vendors[kit.type]?.version}.jsonl`;
	const said = await listen(kit);
	if (process.env["BROOD_RECORD"] === "1") {
		for (const old of readdirSync(folder).filter((each) => each.startsWith(`${kit.type}-`)))
			rmSync(path.join(folder, old));
		writeFileSync(path.join(folder, name), said.map((each) => `${JSON.stringify(each)}\n`).join(""));
	}
	const recorded = readFileSync(path.join(folder, name), "utf8").trim().split("\n");
	expect(shapes(said)).toEqual(shapes(recorded.map((line) => JSON.parse(line))));
	expect(recorded.length).toBeGreaterThanOrEqual(3);
});

/** A turn that writes a file, then one that meets a limit, as the program tells of them. */
async function listen(kit: Kit): Promise<object[]> {
	await install(kit.type);
	await using model = await FakeModel.start();
	const homes = path.resolve("node_modules/.cache/agent-homes");
	mkdirSync(homes, { recursive: true });
	const home = mkdtempSync(path.join(homes, "recorded-"));
	const work = path.join(home, "work");
	mkdirSync(work);
	kit.prepareFolder(model.url, home);
	const program = adapterCommand(adaptersIn, kit.type);
	if (program === null) throw new Error(`${kit.type} is not installed`);
	const environment = {
		PATH: process.env["PATH"] ?? "",
		...vendors[kit.type]?.environment,
		...kit.variables(model.url, home),
	};
	const mode = vendors[kit.type]?.modes?.ask ?? null;
	const session = {
		folder: work,
		toolServers: [],
		resume: null,
		copyOf: null,
		costBefore: 0,
		systemPrompt: null,
		model: kit.model,
		mode,
		options: {},
	};
	const up = await launch({
		...program,
		containment: "groups",
		folder: work,
		environment,
		session,
		signal: new AbortController().signal,
	});
	const updates: SessionUpdate[] = [];
	const ears = {
		update: (update: SessionUpdate) => void (aboutTheTurn(update) && updates.push(update)),
		providerError: () => {},
		drained: async () => {},
		ask: async ({ options }: { options: readonly { optionId: string; kind: string }[] }) => ({
			option: options.find(({ kind }) => kind === "allow_once")?.optionId ?? "",
			reason: null,
		}),
	};
	try {
		model.say({ text: "I write.", calls: [kit.write(path.join(work, "a.txt"), "hi")] }, { text: "Written." });
		await up.prompt("please write it", ears);
		model.say(kit.limit);
		// OpenCode would wait for the limit to end
		if (kit.type !== "opencode") await up.prompt("once more", ears).catch(() => {});
		return updates.map((update) => anonymous(update, { [work]: "/work", [home]: "/home" }));
	} finally {
		process.kill(-up.pid, "SIGKILL");
		await up.ended;
		rmSync(home, { recursive: true, force: true });
	}
}

/** What it can do otherwise is told at times of its own, and has no place in a conversation. */
const aboutTheTurn = (update: SessionUpdate): boolean =>
	!asides.has(update.sessionUpdate) && !("title" in update && update.sessionUpdate === "session_info_update");
const asides: ReadonlySet<string> = new Set([
	"available_commands_update",
	"config_option_update",
	"current_mode_update",
]);

const anonymous = (update: object, names: Readonly<Record<string, string>>): object =>
	JSON.parse(Object.entries(names).reduce((text, [real, name]) => text.replaceAll(real, name), JSON.stringify(update)));

/**
 * Which fields there are, and the words that are not anybody's own. How often, and between what, is a matter of the
 * moment.
 */
const shapes = (updates: readonly object[]): string[] =>
	[...new Set(updates.map((update) => JSON.stringify(shapeOf(update, ""))))].sort();

const fixed: ReadonlySet<string> = new Set(["sessionUpdate", "kind", "status", "type"]);

function shapeOf(value: unknown, name: string): unknown {
	if (Array.isArray(value)) return value.slice(0, 1).map((each) => shapeOf(each, name));
	if (typeof value === "object" && value !== null)
		return Object.fromEntries(
			Object.entries(value)
				.sort(([a], [b]) => (a < b ? -1 : 1))
				.map(([key, inner]) => [key, shapeOf(inner, key)]),
		);
	return fixed.has(name) ? value : typeof value;
}
