import { version } from "#src/version.ts";
import { program } from "./program.ts";
import { takeColour, wrongColour } from "./style.ts";

// the reader closed the pipe, as in `brood log first | head`
process.stdout.on("error", () => process.exit(0));
const words = takeColour(process.argv.slice(2), process.env);
// as a release this is CommonJS, which has no top-level await
void run();

async function run(): Promise<void> {
	try {
		const wrong = wrongColour(process.argv.slice(2));
		if (wrong !== null) {
			const { UsageError } = await import("./print.ts");
			throw new UsageError(`--color takes always, never or auto, not ${JSON.stringify(wrong)}.`);
		}
		if (words.length === 1 && words[0] === "--version") return (await import("./print.ts")).print(version);
		if (words.length === 0) {
			if (hasScreen()) await (await import("./open-terminal.ts")).openTerminal();
			else program().outputHelp();
			return;
		}
		await program(words).parseAsync([...process.argv.slice(0, 2), ...words]);
	} catch (error) {
		// commands print their own errors; anything unexpected is printed as one sentence too
		const { printError } = await import("./print.ts");
		process.exitCode = printError(error, process.argv.includes("--json"));
	}
}

/** A terminal that can place its cursor: that of an editor's shell often cannot, and says so. */
function hasScreen(): boolean {
	return process.stdin.isTTY && process.stdout.isTTY && process.env["TERM"] !== "dumb";
}
