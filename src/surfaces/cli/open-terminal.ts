// `brood` on a terminal: the screen with all agents, in the project of the directory.
import type { ProjectSlug } from "#contract/ids.ts";
import { messageOf } from "#contract/message-of.ts";
import { TerminalProgram } from "#surfaces/tui/terminal.ts";
import { type CliContext, cliContextOf, freshKey } from "./act.ts";
import { confirm } from "./confirm.ts";
import { homeOf, isStopped, reconnect } from "./connect.ts";
import { leaveNotesTo, localNow, print, printed, printToStderr } from "./print.ts";
import { projectHere } from "./project-here.ts";
import { addRepository, repositoryAt } from "./repository.ts";
import { hasColour } from "./style.ts";

/** longer is not waited for a terminal that takes nothing */
const writtenMs = 1000;

export async function openTerminal(): Promise<void> {
	const cli = await cliContextOf({});
	const project = (await projectHere(cli)) ?? (await offeredProject(cli));
	const program = new TerminalProgram({
		client: cli.client,
		home: homeOf(),
		project,
		isRepository: repositoryAt(process.cwd()) !== null,
		colour: hasColour(),
		freshKey,
		beforeReconnect: reconnect,
		isStopped,
		now: localNow,
	});
	leaveNotesTo("screen");
	stopOnSignals(program);
	await program.run();
	leaveNotesTo("stderr");
	print("The agents go on. `brood` brings you back.");
	await printed(writtenMs);
	process.exit();
}

/** A repository that is not a project yet is added if the person wants it. */
async function offeredProject(cli: CliContext): Promise<ProjectSlug | null> {
	// the daemon of BROOD_URL has no folder of another machine
	const root = cli.home === null ? null : repositoryAt(process.cwd());
	if (root === null || (await confirm(`${root} is not a project yet. Add it?`)) !== true) return null;
	return (await addRepository(cli, root, printToStderr)).slug;
}

/** Whatever ends the program, the screen is as it was before. */
function stopOnSignals(program: TerminalProgram): void {
	for (const [signal, code] of [
		["SIGTERM", 143],
		["SIGHUP", 129],
		["SIGINT", 130],
		["SIGQUIT", 131],
	] as const)
		process.on(signal, () => {
			program.stop();
			void printed(writtenMs).then(() => process.exit(code));
		});
	for (const kind of ["uncaughtException", "unhandledRejection"] as const)
		process.on(kind, (error: unknown) => {
			program.stop();
			leaveNotesTo("stderr");
			printToStderr(`INTERNAL_ERROR: ${messageOf(error)}`);
			void printed(writtenMs).then(() => process.exit(1));
		});
}
