// The daemon itself.
import { type Command, Option } from "@commander-js/extra-typings";
import { vendorTypes } from "#contract/agent-type.ts";
import { logLevels } from "#contract/log.ts";
import { inline } from "#contract/visible.ts";
import { call } from "./call.ts";
import { countNumber, subcommand } from "./options.ts";
import { projectSubcommands } from "./project-subcommands.ts";
import { uiSubcommands } from "./ui-subcommands.ts";

export function daemonSubcommands(program: Command): void {
	program.commandsGroup("Daemon and projects:");
	for (const [name, description] of [
		["up", "start the daemon, if it is not running"],
		["status", "show the daemon's version, address, agents and problems; starts it if needed"],
	] as const) {
		subcommand(program, name, description).action(async (options) => {
			await (await import("./up.ts")).up(options, { starts: name === "up" });
		});
	}
	uiSubcommands(program);
	stopAndLookSubcommands(program);
	subcommand(program, "demo", "run a demo: scripted agents finish five issues in under a minute, no key needed").action(
		async (options) => await (await import("./demo.ts")).demo(options),
	);
	subcommand(program, "backup", "write a consistent copy of the store to a file, also while agents work")
		.argument("<file>", "the new file; it must not exist")
		.action((file, options) =>
			call(
				"backup",
				options,
				async () => ({ body: { file: (await import("node:path")).resolve(file) } }),
				(written) => `wrote ${inline(written.file)} (${written.bytes} bytes)`,
			),
		);
	const token = program.command("token").description("manage the API token");
	subcommand(token, "rotate", "replace the token; the old one is refused at once").action((options) =>
		call(
			"tokenRotate",
			options,
			{},
			({ file }) =>
				`the token was replaced; the new one is in ${file}\ngive it to your scripts; all browsers are signed out, \`brood ui\` signs one in again`,
		),
	);
	subcommand(program, "setup", "install the adapter for a vendor's agent and check that it starts")
		.argument("<type>", vendorTypes.join(", ").replace(/, (\w+)$/, " or $1"))
		.action((type, options) =>
			call(
				"setup",
				options,
				{ params: { type }, body: {} },
				({ title, package: name, installed, loggedIn, login }) =>
					`${title} is set up (${name} ${installed}).${loggedIn ? "" : `\nIt does not look logged in: ${login}.`}`,
			),
		);
	projectSubcommands(program);
}

function stopAndLookSubcommands(program: Command): void {
	for (const [name, description] of [
		["down", "stop the daemon; running turns get ten seconds to finish"],
		["restart", "stop the daemon and start it again, for example after an upgrade"],
	] as const)
		subcommand(program, name, description)
			.option("--drain", "start no new turns and wait for the running ones, however long they take")
			.addOption(new Option("--now", "interrupt the running turns at once").conflicts("drain"))
			.action(async (options) => await (await import("./down.ts"))[name](options));
	subcommand(program, "uninstall", "stop the daemon and remove Brood's data from this machine")
		.option("--keep-data", "only stop the daemon; the home and the repositories stay as they are")
		.option("--all", "remove the home, the agents' worktrees, and Brood's refs from the projects' repositories")
		.option("-y, --yes", "do not ask; refused if agents have uncommitted work")
		.option("--discard", "with --yes: also if agents have uncommitted work, which is lost")
		.action(async (options) => await (await import("./uninstall.ts")).uninstall(options));
	program
		.command("logs")
		.description("show the daemon's log, also when it is not running")
		.option("-n, --limit <count>", "only the last entries", countNumber, 100)
		.addOption(new Option("--level <level>", "the lowest level to show").choices(logLevels).default("info" as const))
		.option("--follow", "keep printing new entries")
		.option("--json", "print one JSON document; with --follow one object per line")
		.action(async (options) => await (await import("./logs.ts")).logs(options));
	subcommand(program, "doctor", "check the installation and show how to fix problems")
		.option("--space", "show only the disk usage of the home and of each project")
		.action(async ({ space, ...options }) =>
			space === true
				? await call("space", options, {}, async (found) => (await import("./space.ts")).spaceText(found))
				: await (await import("./doctor.ts")).doctor(options),
		);
}
