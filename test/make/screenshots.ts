// Takes the screenshots of the dashboard's pages that the docs show, in light, in dark and on a phone: `npm run
// screenshots`. Names after it take only these pages.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { Client } from "#client/client.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { chromiumProgram } from "#test/support/chromium.ts";
import { fillShowcase, type Showcase } from "./showcase.ts";

const images = process.env["BROOD_IMAGES"] ?? fileURLToPath(new URL("../../docs/images", import.meta.url));
const wide = { width: 1280, height: 800 };
const looks: Readonly<Record<string, BrowserContextOptions>> = {
	light: { viewport: wide, colorScheme: "light" },
	dark: { viewport: wide, colorScheme: "dark" },
	phone: { viewport: { width: 390, height: 844 }, colorScheme: "light", hasTouch: true, isMobile: true },
};

interface Shot {
	path: string;
	/** what is there once the page has everything */
	shows: string | RegExp;
	before?(page: Page): Promise<void>;
}

const shotsOf = ({ project, busy, review }: Showcase): Readonly<Record<string, Shot>> => ({
	overview: { path: "/", shows: "git push" },
	inbox: { path: "/inbox", shows: "git push" },
	tree: { path: "/tree", shows: "drain-mutex", before: compare },
	agent: { path: `/agents/${busy.id}`, shows: "this.writer, signal" },
	board: { path: `/projects/${project}/issues`, shows: "Translate the checkout" },
	issue: { path: `/projects/${project}/issues/${review}`, shows: "Two of forty" },
	review: { path: `/projects/${project}/issues/${review}/review`, shows: "no conflicts" },
	subscriptions: { path: "/subscriptions", shows: "codex-team" },
	journal: { path: "/journal", shows: "subscription.coolDownChanged" },
	settings: { path: "/settings", shows: project },
	"add-agent": { path: "/agents/new", shows: "Add the agent" },
	palette: { path: "/tree", shows: "drain-mutex", before: (page) => page.keyboard.press("Control+k") },
});

/** Two of the forks, where the page is wide enough for it. */
async function compare(page: Page): Promise<void> {
	if ((page.viewportSize()?.width ?? 0) < wide.width) return;
	for (const name of ["drain-mutex", "drain-queue"])
		await page
			.getByRole("row")
			.filter({ has: page.getByRole("link", { name, exact: true }) })
			.getByRole("checkbox")
			.check({ force: true });
	await page.getByText(/files? differs?/).waitFor();
}

const folder = mkdtempSync(path.join(os.tmpdir(), "brood-shots-"));
const home = path.join(folder, "home");
const browser = await chromium.launch({
	executablePath: chromiumProgram(),
	args: ["--disable-dev-shm-usage", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
});
try {
	mkdirSync(images, { recursive: true });
	await using daemon = await startDaemon({ home });
	const shots = shotsOf(await fillShowcase(daemon, folder));
	for (const look of Object.keys(looks)) await take(browser, daemon, look, shots);
} finally {
	await browser.close();
	rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

async function take(of: Browser, daemon: Daemon, look: string, shots: Readonly<Record<string, Shot>>): Promise<void> {
	const wanted = process.argv.slice(2);
	const context = await of.newContext({ ...looks[look], reducedMotion: "reduce" });
	context.setDefaultTimeout(30_000);
	const page = await context.newPage();
	await page.goto((await new Client(daemon).call("browserLink", { body: {} })).url);
	await page.getByRole("navigation").first().waitFor();
	for (const [name, { path: to, shows, before }] of Object.entries(shots)) {
		if (wanted.length > 0 && !wanted.includes(name)) continue;
		await page.goto(new URL(to, daemon.url).href);
		await page.getByText(shows).first().waitFor({ state: "attached" });
		await before?.(page);
		await page.evaluate(() => Reflect.get(globalThis, "document").fonts.ready.then(() => null));
		// what a page reads after its first rows; the event stream keeps the network busy for ever
		await page.waitForTimeout(700);
		await hidePaths(page);
		await page.screenshot({ path: path.join(images, `${name}-${look}.png`), animations: "disabled" });
	}
	await context.close();
}

/** Paths of this machine, as they would be on another. */
async function hidePaths(page: Page): Promise<void> {
	await page.evaluate((hidden) => {
		const { document, NodeFilter } = Object(globalThis);
		const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
			if (text.data.includes(hidden)) text.data = text.data.replaceAll(hidden, "~");
	}, folder);
}
