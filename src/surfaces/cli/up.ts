// `brood up` and `brood status`.
import { act, type Options } from "./act.ts";
import { allowStart } from "./connect.ts";
import { refuseOtherStore } from "./home-check.ts";
import { printError } from "./print.ts";
import { statusLine } from "./status.ts";

/** `starts`: somebody says in so many words that the daemon is to run. */
export async function up(options: Options, { starts }: { starts: boolean }): Promise<void> {
	try {
		await refuseOtherStore();
		if (starts) allowStart();
	} catch (error) {
		process.exitCode = printError(error, options.json === true);
		return;
	}
	await act(options, async ({ client }) => await client.call("status"), statusLine);
}
