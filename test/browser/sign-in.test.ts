// Entering the dashboard with a real browser: a link that works once, two secrets, and a hostile page on another port.
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import path from "node:path";
import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { Client } from "#client/client.ts";
import { Dashboard, shareDashboard } from "#test/support/dashboard.ts";
import type { TestDaemon } from "#test/support/test-daemon.ts";

let world: TestDaemon;
let browser: Browser;
shareDashboard((parts) => ({ world, browser } = parts));

test("the link signs in once, and leaves no code in the address", async () => {
	await using dashboard = await Dashboard.open(browser, world.daemon);
	const { page, context } = dashboard;
	expect(new URL(page.url()).hash).toBe("");
	await page.getByRole("main").waitFor();
	await dashboard.isAccessible();
	// the page itself cannot read the cookie, and without the second secret the cookie opens nothing: the control
	expect(await page.evaluate(() => Reflect.get(globalThis, "document").cookie)).toBe("");
	expect(await context.cookies(`${world.daemon.url}/api/agents`)).toHaveLength(1);
	dashboard.expects(/401/);
	expect(await page.evaluate(async () => (await fetch("/api/agents")).status)).toBe(401);
	await page.reload();
	await page.getByRole("navigation").first().waitFor();
	await page.evaluate(() => Reflect.get(globalThis, "localStorage").clear());
	await page.reload();
	await page.getByText("brood ui").first().waitFor();
});

test("a browser without the secrets is told how to get in, and a used link opens nothing", async () => {
	const { url } = await new Client(world.daemon).call("browserLink", { body: {} });
	const first = await browser.newContext();
	const entered = await first.newPage();
	await entered.goto(url);
	await entered.getByRole("navigation").first().waitFor();
	const second = await browser.newContext();
	const late = await second.newPage();
	await late.goto(url);
	await late.getByText("brood ui").first().waitFor();
	await late.getByText("The link was used before, or has expired").waitFor();
	expect(await second.cookies(`${world.daemon.url}/api/agents`)).toEqual([]);
	await Promise.all([first.close(), second.close()]);
});

test("a hostile page on another port gets nothing done, though it is sent the cookie", async () => {
	await using dashboard = await Dashboard.open(browser, world.daemon);
	const { url: target } = world.daemon;
	const heard: string[] = [];
	const server = createServer((request, response) => {
		heard.push(request.headers.cookie ?? "");
		response.setHeader("content-type", "text/html").end("<!doctype html><title>evil</title><p>hello</p>");
	});
	const port = await listening(server);
	dashboard.expects(/.*/);
	const page = await dashboard.context.newPage();
	await page.goto(`http://127.0.0.1:${port}/api/x`);
	// cookies ignore ports: this is what the second secret is for
	expect(heard.some((cookie) => cookie.includes("brood_"))).toBe(true);
	const before = (await world.client.call("journal", { query: { kind: "mail.sent" } })).events.length;
	const tried = await page.evaluate(async (base) => {
		const headers = { "content-type": "text/plain" };
		const mail = JSON.stringify({ body: "from a hostile page" });
		const attempts = [
			{ place: "/api/agents/init/mail", init: { method: "POST", body: mail, headers } },
			{ place: "/api/agents/init/mail", init: { method: "POST", body: mail, mode: "no-cors" as const } },
			{ place: "/api/agents", init: {} },
			{ place: "/api/agents", init: { headers: { "x-brood-proof": "x".repeat(43) } } },
			{ place: "/api/sign-in", init: { method: "POST", body: "{}", headers } },
			{ place: "/api/events", init: {} },
		];
		return await Promise.all(
			attempts.map(async ({ place, init }) => {
				try {
					const answer = await fetch(base + place, { credentials: "include", ...init });
					return `${answer.type} ${(await answer.text()).length}`;
				} catch {
					return "nothing";
				}
			}),
		);
	}, target);
	// the opaque answer of no-cors has no text, and all others are kept from the page
	expect(tried).toEqual(["nothing", "opaque 0", "nothing", "nothing", "nothing", "nothing"]);
	expect((await world.client.call("journal", { query: { kind: "mail.sent" } })).events).toHaveLength(before);
	// nor does it get the dashboard into a frame, or hold on to a window of it
	const framed = await page.evaluate(async (base) => {
		const { document } = globalThis as unknown as { document: { createElement(n: string): object; body: object } };
		const frame = document.createElement("iframe");
		Object.assign(frame, { src: base });
		Reflect.get(document.body, "append").call(document.body, frame);
		await new Promise((resolve) => Reflect.set(frame, "onload", resolve));
		try {
			return String(Reflect.get(Reflect.get(frame, "contentWindow"), "localStorage"));
		} catch {
			return "kept out";
		}
	}, target);
	expect(framed).toBe("kept out");
	server.close();
	server.closeAllConnections();
});

test("hostile text is shown as it is: nothing is run, loaded, reversed or left out", { timeout: 90_000 }, async () => {
	const { add } = await world.project();
	const turned = "rm \u202egnp.exe\u2066 \u200bhidden";
	const words = `**bold** ${turned} [go](javascript:alert(1)) ![x](http://127.0.0.1:9/x.png) <img src=x onerror=alert(1)>`;
	const agent = await add({ name: "liar", prompt: `say ${words}\nask ${turned}?` });
	const { path: folder = "" } = agent.workspace ?? {};
	await expect.poll(async () => (await world.client.call("approvals")).length, { timeout: 30_000 }).toBe(1);
	writeFileSync(
		path.join(folder, "a\u202egnp.ts"),
		`let a;\rdiff --git a/README b/README\nlet left_out;\n// ${turned}\n`,
	);
	await using dashboard = await Dashboard.open(browser, world.daemon);
	// nothing is committed: there is no merge to preview, and the page says so
	dashboard.expects(/409.*merge-preview/);
	const { page } = dashboard;
	for (const [where, last] of [
		[`/agents/${agent.id}`, "bold"],
		["/inbox", "gnp.exe"],
		[`/agents/${agent.id}/review`, "left_out"],
	] as const) {
		await dashboard.go(where);
		await page.getByText(last).first().waitFor();
		const seen = async () =>
			await page.evaluate(() => {
				const { document } = globalThis as unknown as {
					document: { body: { textContent: string }; querySelectorAll(q: string): ArrayLike<object> };
				};
				const all = (query: string) => document.querySelectorAll(query).length;
				return { text: document.body.textContent, images: all("main img"), links: all('a[href^="javascript"]') };
			});
		// the words may be there before the page around them is
		await expect.poll(async () => (await seen()).text, { timeout: 30_000 }).toContain("<U+202E>gnp");
		const { text, images, links } = await seen();
		expect([where, /[\u200b\u202a-\u202e\u2066-\u2069]/.test(text), images, links]).toEqual([where, false, 0, 0]);
	}
});

test("a tab begins where the rows stand, not at event 0", async () => {
	const { add } = await world.project();
	await world.turn(await add({ name: "busy", workspace: "none" }), "say one\nsay two\nsay three");
	const last = await world.daemon.engine.reads.lastEvent();
	expect(last).toBeGreaterThan(10);
	await using dashboard = await Dashboard.open(browser, world.daemon);
	const streams: number[] = [];
	dashboard.context.on("request", (request) => {
		const { pathname, searchParams } = new URL(request.url());
		if (pathname === "/api/events") streams.push(Number(searchParams.get("after")));
		// the time axis reads turns and mail since a moment
		if (pathname === "/api/journal" && !searchParams.has("since")) streams.push(Number(searchParams.get("after")));
	});
	await dashboard.go("/tree");
	await dashboard.page.getByRole("link", { name: "busy", exact: true }).waitFor();
	await dashboard.page.getByText("● live").waitFor();
	expect(streams.filter((after) => after < last)).toEqual([]);
	expect(streams.length).toBeGreaterThan(0);
	// the control: a list that reads from event 0 is noticed
	await dashboard.page.evaluate(async () => void (await fetch("/api/journal?after=0").catch(() => null)));
	expect(streams.filter((after) => after < last)).toEqual([0]);
	dashboard.expects(/401/);
});

test("the controls: an inline style and a text one step too light are found", async () => {
	await using dashboard = await Dashboard.open(browser, world.daemon);
	const { page, wrong } = dashboard;
	await page.getByText("● live").waitFor();
	await dashboard.isAccessible();
	await page.evaluate(() => {
		const { document } = Object(globalThis);
		document.documentElement.style.setProperty("--muted", "#8d949b");
	});
	await expect(dashboard.isAccessible()).rejects.toThrow("color-contrast");
	expect(wrong).toEqual([]);
	await page.evaluate(() => {
		const { document } = Object(globalThis);
		const style = document.createElement("style");
		style.textContent = "main { display: none }";
		document.body.append(style);
	});
	await expect.poll(() => wrong.join("\n")).toMatch(/policy: style-src/);
	expect(() => dashboard.isClean()).toThrow("to deeply equal []");
	dashboard.expects(/style/);
});

test("a browser that is signed out says so at once", { timeout: 60_000 }, async () => {
	await using dashboard = await Dashboard.open(browser, world.daemon);
	dashboard.expects(/401/);
	const all = await world.client.call("browsers");
	await world.client.call("browserSignOut", { params: { browser: all.at(-1)?.id ?? "" } });
	await dashboard.page.getByText("brood ui").first().waitFor();
	await dashboard.isAccessible();
});

test("the list of browsers begins with this one, however many have signed in before", async () => {
	const earlier = [await Dashboard.open(browser, world.daemon), await Dashboard.open(browser, world.daemon)];
	await using own = await Dashboard.open(browser, world.daemon, "/settings");
	await using _later = await Dashboard.open(browser, world.daemon);
	const list = own.page.getByRole("region", { name: "Signed-in browsers" }).getByRole("listitem");
	const ids = (await world.client.call("browsers")).map(({ id }) => id);
	await own.page.reload();
	await expect.poll(() => list.count()).toBe(ids.length);
	expect(await list.first().textContent()).toContain("this browser");
	expect(await list.filter({ hasText: "this browser" }).count()).toBe(1);
	// then the one that signed in last
	const shown = await list.evaluateAll((all) => all.map((each) => each.querySelector(".row-name")?.textContent));
	expect(shown).toEqual([ids.at(-2), ids.at(-1), ...ids.slice(0, -2).toReversed()]);
	for (const each of earlier) await each[Symbol.asyncDispose]();
});

const listening = async (server: Server): Promise<number> =>
	await new Promise((resolve) =>
		server.listen(0, "127.0.0.1", () => {
			const address = server.address();
			resolve(typeof address === "object" && address !== null ? address.port : 0);
		}),
	);
