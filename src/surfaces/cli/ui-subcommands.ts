// The dashboard: a link that signs a browser in, and the browsers that are signed in.
import type { Command } from "@commander-js/extra-typings";
import { inline } from "#contract/visible.ts";
import { call } from "./call.ts";
import { subcommand } from "./options.ts";

export function uiSubcommands(program: Command): void {
	const ui = subcommand(program, "ui", "open the dashboard in your browser, or print the link that signs one in")
		.enablePositionalOptions()
		.option("--no-open", "only print the link")
		.action(async ({ open, ...options }) => {
			await call("browserLink", options, { body: {} }, async ({ url }) => {
				const isOpened = open && (await (await import("./open-browser.ts")).openBrowser(url));
				return `${isOpened ? "Opening the dashboard. If no window appears, open" : "Open"} this link within two minutes; it works once:\n  ${url}`;
			});
		});
	subcommand(ui, "list", "list the browsers that are signed in").action((options) =>
		call("browsers", options, {}, (browsers) =>
			browsers.length === 0
				? "no browser is signed in"
				: browsers
						.map(({ id, name, expiresAt }) => `${id}  until ${expiresAt.slice(0, 10)}  ${inline(name)}`)
						.join("\n"),
		),
	);
	subcommand(ui, "sign-out", "sign a browser out")
		.argument("<browser>", "its id, as `brood ui list` shows it")
		.action((browser, options) =>
			call("browserSignOut", options, { params: { browser } }, ({ id }) => `${id} is signed out`),
		);
}
