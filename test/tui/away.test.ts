// What is written while the daemon is away, or has not answered yet.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Client, Refused } from "#client/client.ts";
import { refuse } from "#contract/refusal.ts";
import type { Agent } from "#contract/wire.ts";
import { OpenedTerminal } from "#test/support/opened-terminal.ts";
import { freshFolder } from "#test/support/stores.ts";
import { TestDaemon } from "#test/support/test-daemon.ts";

let shop: TestDaemon;
beforeAll(async () => {
	shop = await TestDaemon.open();
});
afterAll(async () => await shop[Symbol.asyncDispose]());

async function agent(): Promise<Agent> {
	const { add } = await shop.project();
	return await add({ name: "one" });
}

/** A client whose connection breaks, whose prompts may stay or arrive without an answer, and whose waits are slow. */
class Line {
	#broken = new AbortController();
	isSilent = false;
	isLate = false;
	waitsOpened = Promise.resolve();
	readonly waits: unknown[] = [];
	readonly client: Client;

	constructor() {
		const call = async (...args: unknown[]): Promise<unknown> => {
			if (this.isSilent && args[0] === "prompt") return await new Promise(() => {});
			if (args[0] === "waitCancel" && this.#broken.signal.aborted) throw new Error("nobody answers");
			if (args[0] === "waitOpen") await this.waitsOpened;
			const answer: unknown = await Reflect.apply(shop.client.call, shop.client, args);
			if (args[0] === "waitOpen") this.waits.push(Reflect.get(Object(answer), "id"));
			if (this.isLate && args[0] === "prompt")
				throw new Refused(refuse("TIMEOUT", "The daemon has not answered.", { details: { unanswered: true } }));
			return answer;
		};
		const stream: Client["stream"] = (query, signal) => {
			if (this.#broken.signal.aborted) throw new Error("nobody answers");
			return shop.client.stream(query, AbortSignal.any([signal, this.#broken.signal]));
		};
		const own: Record<string | symbol, unknown> = { call, stream };
		this.client = new Proxy(shop.client, {
			get(to, name) {
				const found: unknown = own[name] ?? Reflect.get(to, name);
				return typeof found === "function" ? found.bind(to) : found;
			},
		});
	}

	cut(): void {
		this.#broken.abort();
	}

	mend(): void {
		this.#broken = new AbortController();
	}
}

const prompts = async (one: Agent): Promise<(string | null)[]> =>
	(await shop.items(one)).filter(({ kind }) => kind === "user").map(({ text }) => text);

test("while the daemon is away, Enter sends nothing and says so; commands of the terminal itself work", async () => {
	const [one, line] = [await agent(), new Line()];
	await using it = new OpenedTerminal(line.client, one.id);
	await it.terminal.shows("[one ○ idle]");
	line.cut();
	await it.terminal.shows("The daemon does not answer.");
	it.terminal.press("say kept words", "enter");
	await it.terminal.shows("Not sent: the daemon does not run. Your text stays in the input.");
	await it.terminal.shows("> say kept words");
	it.terminal.press("ctrl+c", "/help", "enter");
	await it.terminal.shows("commands (F1 shows the keys)");
	it.terminal.press("escape", "up");
	await it.terminal.shows("> /help");
	it.terminal.press("up");
	await it.terminal.shows("> say kept words");
	expect(await prompts(one)).toEqual([]);
	// it is said until the daemon is back; control: then it is sent
	it.terminal.press("enter");
	await it.terminal.shows("Not sent: the daemon does not run.");
	line.mend();
	await expect.poll(async () => (await it.terminal.screen()).join("\n")).not.toMatch(/does not answer|Not sent/);
	it.terminal.press("enter");
	await it.terminal.shows(/^ {2}kept words/m);
	expect(await prompts(one)).toEqual(["say kept words"]);
});

test("a daemon that cannot be found or started ends nothing: it is said why, and typed text stays", async () => {
	const [one, line] = [await agent(), new Line()];
	let problem: string | null = "The daemon has not answered for 20 s: it is frozen or overloaded.";
	const beforeReconnect = async (): Promise<void> => {
		if (problem !== null) throw new Error(problem);
	};
	await using it = new OpenedTerminal(line.client, one.id, { beforeReconnect });
	await it.terminal.shows("[one ○ idle]");
	it.terminal.press("say kept words");
	line.cut();
	await it.terminal.shows(/it is frozen or overloaded\. What you typed is kept\.\s+Reconnecting …/);
	problem = "config.yaml:1:12: a list has no end";
	await it.terminal.shows("config.yaml:1:12: a list has no end");
	it.terminal.press("enter");
	await it.terminal.shows("Not sent: the daemon does not run. Your text stays in the input.");
	problem = null;
	line.mend();
	await expect.poll(async () => (await it.terminal.screen()).join("\n")).not.toMatch(/What you typed is kept/);
	it.terminal.press("enter");
	await it.terminal.shows(/^ {2}kept words/m);
});

test("a prompt that has no answer when the terminal is left is in the input again", async () => {
	const [one, line, home] = [await agent(), new Line(), freshFolder()];
	{
		await using it = new OpenedTerminal(line.client, one.id, { home });
		await it.terminal.shows("[one ○ idle]");
		line.isSilent = true;
		it.terminal.press("say without an answer", "enter", "and more");
		await it.terminal.shows("> and more");
	}
	await using again = new OpenedTerminal(shop.client, one.id, { home });
	await again.terminal.shows(/> say without an answer\n +and more/);
	expect(await prompts(one)).toEqual([]);
});

test("a wait is given up with Esc while the daemon is away, and before it has answered", async () => {
	const [one, line] = [await agent(), new Line()];
	const states = async (): Promise<string[]> => {
		const all = line.waits.map((id) => shop.client.call("wait", { params: { wait: String(id) }, query: {} }));
		return (await Promise.all(all)).map(({ state }) => state);
	};
	await shop.client.call("prompt", { params: { agent: one.id }, body: { text: "sleep 60000" } });
	await using it = new OpenedTerminal(line.client, one.id);
	await it.terminal.shows(/\[one .*running/);
	it.terminal.press("/wait one", "enter");
	await expect.poll(states).toEqual(["open"]);
	line.cut();
	await it.terminal.shows("The daemon does not answer.");
	it.terminal.press("escape");
	// a rejection that nobody handles fails the run
	await it.terminal.shows("The wait was cancelled.");
	expect(await states()).toEqual(["open"]);
	line.mend();
	await expect.poll(async () => (await it.terminal.screen()).join("\n")).not.toContain("does not answer");
	const { promise, resolve } = Promise.withResolvers<void>();
	line.waitsOpened = promise;
	it.terminal.press("/wait one", "enter");
	await it.terminal.shows("Waiting …");
	it.terminal.press("escape");
	await it.terminal.shows("The wait was cancelled.");
	resolve();
	await expect.poll(states).toEqual(["open", "cancelled"]);
});

test("a prompt without an answer may have arrived: the same text again is the same request, also after a restart", async () => {
	const [one, line, home] = [await agent(), new Line(), freshFolder()];
	const often = async (): Promise<number> => (await prompts(one)).length;
	{
		await using it = new OpenedTerminal(line.client, one.id, { home });
		await it.terminal.shows("[one ○ idle]");
		line.isLate = true;
		it.terminal.press("say once", "enter");
		await it.terminal.shows(/TIMEOUT: The daemon has not answered\.\n +It may have arrived\./);
		await it.terminal.shows("> say once");
		await expect.poll(often).toBe(1);
		line.isLate = false;
		it.terminal.press("enter");
		await it.terminal.shows("Sent again as the same request: it happens once.");
		// control: the text that was answered is another prompt the next time
		it.terminal.press("say once", "enter");
		await expect.poll(often).toBe(2);
		line.isLate = true;
		it.terminal.press("say twice", "enter");
		await it.terminal.shows("> say twice");
		await expect.poll(often).toBe(3);
	}
	line.isLate = false;
	await using again = new OpenedTerminal(line.client, one.id, { home });
	await again.terminal.shows("[one ○ idle]");
	await again.terminal.shows("> say twice");
	again.terminal.press("enter");
	await again.terminal.shows("Sent again as the same request: it happens once.");
	expect(await prompts(one)).toEqual(["say once", "say once", "say twice"]);
});

test("a prompt that is long on its way is said to be, and Esc gives it up", async () => {
	const [one, line] = [await agent(), new Line()];
	await using it = new OpenedTerminal(line.client, one.id);
	await it.terminal.shows("[one ○ idle]");
	line.isSilent = true;
	it.terminal.press("say something", "enter");
	await it.terminal.shows("Sending …   (Esc cancels)");
	it.terminal.press("escape");
	await it.terminal.shows("Given up; it may still be done.");
});
