// A browser for tests of the dashboard. Whatever a page prints as an error, whatever its policy forbids and whatever it
// asks another origin for fails the test that saw it.
import axe from "axe-core";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject } from "vitest";
import { Client } from "#client/client.ts";
import { builtWeb } from "#local/built-web.ts";
import type { Daemon } from "#src/main.ts";
import { TestDaemon } from "./test-daemon.ts";

/** With the dashboard built, which the first page would wait for otherwise. */
async function openBrowser(): Promise<Browser> {
	const executablePath = inject("chromium");
	if (executablePath === "") throw new Error("There is no Chromium: apt-get install chromium");
	const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
	// here, where there is time for it: the first page would wait for it
	await builtWeb(process.cwd());
	return await chromium.launch({ executablePath, args: ["--disable-dev-shm-usage", ...root] });
}

/** A daemon and a browser for all tests of a file. */
export function shareDashboard(share: (parts: { world: TestDaemon; browser: Browser }) => void): void {
	let parts: { world: TestDaemon; browser: Browser } | null = null;
	beforeAll(async () => {
		const [world, browser] = await Promise.all([TestDaemon.open(), openBrowser()]);
		parts = { world, browser };
		share(parts);
	}, 120_000);
	afterAll(async () => {
		await parts?.browser.close();
		await parts?.world[Symbol.asyncDispose]();
	});
}

export class Dashboard implements AsyncDisposable {
	readonly context: BrowserContext;
	readonly page: Page;
	/** what went wrong in its pages */
	readonly wrong: string[];
	/** what is expected to go wrong, for example while the daemon is down */
	readonly #expected: RegExp[] = [];

	private constructor(context: BrowserContext, page: Page, wrong: string[]) {
		this.context = context;
		this.page = page;
		this.wrong = wrong;
	}

	/** A browser of its own, signed in by a link, at a path. */
	static async open(
		browser: Browser,
		daemon: Pick<Daemon, "url" | "token">,
		path = "/",
		options: BrowserContextOptions = {},
	): Promise<Dashboard> {
		const context = await browser.newContext({
			viewport: { width: 1280, height: 800 },
			reducedMotion: "reduce",
			colorScheme: "light",
			...options,
		});
		context.setDefaultTimeout(25_000);
		const wrong: string[] = [];
		await watch(context, daemon.url, wrong);
		const page = await context.newPage();
		const { url } = await new Client(daemon).call("browserLink", { body: {} });
		await page.goto(url);
		await page.getByRole("navigation").first().waitFor();
		const dashboard = new Dashboard(context, page, wrong);
		if (path !== "/") await dashboard.go(path);
		return dashboard;
	}

	async go(path: string): Promise<void> {
		await this.page.goto(new URL(path, this.page.url()).href);
	}

	/** One more tab of the same browser. */
	async tab(path = "/"): Promise<Page> {
		const page = await this.context.newPage();
		await page.goto(new URL(path, this.page.url()).href);
		return page;
	}

	/** What a page says about itself while the daemon is away is not a fault. */
	expects(pattern: RegExp): void {
		this.#expected.push(pattern);
	}

	/** No finding of axe on the page as it is, and nothing beyond its right edge. */
	async isAccessible(page = this.page): Promise<void> {
		await page.evaluate(axe.source);
		const beyond = await page.evaluate(() => {
			const { scrollWidth = 0, clientWidth = 0 } = Reflect.get(globalThis, "document").querySelector("main") ?? {};
			return scrollWidth - clientWidth;
		});
		expect(beyond, "pixels beyond the right edge").toBe(0);
		const { violations } = await page.evaluate(async () => await Reflect.get(globalThis, "axe").run());
		const found = violations.map((each: { id: string; nodes: { html: string }[] }) => [
			each.id,
			...each.nodes.map(({ html }) => html.slice(0, 300)),
		]);
		expect(found).toEqual([]);
	}

	/** Nothing went wrong up to now. */
	isClean(): void {
		expect(this.wrong.filter((each) => !this.#expected.some((pattern) => pattern.test(each)))).toEqual([]);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.context.close();
		this.isClean();
	}
}

async function watch(context: BrowserContext, origin: string, wrong: string[]): Promise<void> {
	await context.exposeFunction("broodViolation", (text: string) => wrong.push(text));
	await context.addInitScript(() =>
		Reflect.get(globalThis, "document").addEventListener(
			"securitypolicyviolation",
			(event: { violatedDirective: string; blockedURI: string; sample: string }) =>
				Reflect.get(
					globalThis,
					"broodViolation",
				)(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
		),
	);
	context.on("console", (message) => {
		if (message.type() === "error") wrong.push(`console: ${message.text()} ${message.location().url}`);
	});
	context.on("weberror", (error) => wrong.push(`page: ${error.error().message}`));
	context.on("request", (request) => {
		const { protocol, origin: from } = new URL(request.url());
		if (protocol !== "data:" && protocol !== "blob:" && from !== origin) wrong.push(`request: ${request.url()}`);
	});
}
