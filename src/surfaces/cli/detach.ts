// Ctrl+C in a command that follows an agent: the agent goes on.
import { printToStderr } from "./print.ts";

interface Followed {
	handle: string;
	/** what names it on this command line */
	name: string;
	/** nothing is printed with --json */
	json: boolean | undefined;
}

export function detachOnInterrupt({ handle, name, json }: Followed): void {
	process.once("SIGINT", () => {
		if (json !== true)
			printToStderr(
				`\n${handle} goes on.\n  follow it:  brood log ${name} --follow\n  stop it:    brood interrupt ${name}`,
			);
		process.exit(130);
	});
}
