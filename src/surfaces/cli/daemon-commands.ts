// The daemon itself and its projects.

import { type Command, Option } from "@commander-js/extra-typings";
import { vendorTypes } from "#contract/agent-type.ts";
import { logLevels } from "#contract/log.ts";
import { inline } from "#contract/visible.ts";
import { projectCommands } from "./project-commands.ts";

export function daemonCommands(program: Command): void {
	program.commandsGroup("Daemon:");
	for (const [name, description] of [
		["up", "start the daemon, if it is not running"],
		["status", "what the daemon is and has"],
	] as const) {
		program
			.command(name)
			.description(description)
			.option("--json", "print one JSON document")
			.action(async (options) => {
				const [{ act }, { statusLine }] = await Promise.all([import("./act.ts"), import("./status.ts")]);
				await act(options, async ({ client, status }) => status ?? (await client.call("status")), statusLine);
			});
	}
	stopAndLookCommands(program);
	program
		.command("demo")
		.description("five issues of the playground, done by scripted agents in under a minute")
		.option("--json", "print one JSON document")
		.action(async (options) => {
			const { demo } = await import("./demo.ts");
			await demo(options);
		});
	program
		.command("backup")
		.description("a consistent copy of the store, also under load")
		.argument("<file>", "where to; it must not exist")
		.option("--json", "print one JSON document")
		.action(async (file, options) => {
			const [{ act }, { resolve }] = await Promise.all([import("./act.ts"), import("node:path")]);
			await act(
				options,
				({ client, key }) => client.call("backup", { key, body: { file: resolve(file) } }),
				(made) => `wrote ${inline(made.file)} (${made.bytes} bytes)`,
			);
		});
	tokenCommands(program);
	setupCommand(program);
	projectCommands(program);
}

function stopAndLookCommands(program: Command): void {
	program
		.command("down")
		.description("let the running turns end, then stop the daemon")
		.option("--json", "print one JSON document")
		.action(async (options) => {
			const { down } = await import("./status.ts");
			await down(options);
		});
	program
		.command("logs")
		.description("show the daemon's log, also when it is not running")
		.option("-n, --lines <count>", "number of entries", Number, 100)
		.addOption(
			new Option("--level <level>", "this level and those above it").choices(logLevels).default("info" as const),
		)
		.option("--follow", "keep printing new entries")
		.option("--json", "print one JSON document; with --follow one object per line")
		.action(async (options) => {
			const { logs } = await import("./logs.ts");
			await logs(options);
		});
	program
		.command("doctor")
		.description("check the installation and show how to fix problems")
		.option("--space", "disk usage of the home and of each project")
		.option("--json", "print one JSON document")
		.action(async (options) => {
			if (options.space === true) return await (await import("./space.ts")).space(options);
			const { doctor } = await import("./doctor.ts");
			await doctor(options);
		});
}

function tokenCommands(program: Command): void {
	const token = program.command("token").description("the token for the API");
	token
		.command("rotate")
		.description("replace the token; the old one is refused at once")
		.option("--json", "print one JSON document")
		.action(async (options) => {
			const { act } = await import("./act.ts");
			await act(
				options,
				({ client, key }) => client.call("tokenRotate", { key }),
				({ file }) =>
					`the token was replaced; the new one is in ${file}\nbrowsers and scripts with the old one have to be given the new one`,
			);
		});
}

function setupCommand(program: Command): void {
	program
		.command("setup")
		.description("install a vendor's agent and check that it starts")
		.argument("<type>", vendorTypes.join(", ").replace(/, (\w+)$/, " or $1"))
		.option("--json", "print one JSON document")
		.action(async (type, options) => {
			const { setup } = await import("./setup.ts");
			await setup(type, options);
		});
}
