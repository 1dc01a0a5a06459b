import { program } from "./program.ts";
import { takeColour } from "./style.ts";

// `brood log first | head` has read enough
process.stdout.on("error", () => process.exit(0));
try {
	await program().parseAsync([...process.argv.slice(0, 2), ...takeColour(process.argv.slice(2), process.env)]);
} catch (error) {
	// commands print their own errors; anything unexpected is printed as one sentence too
	const { printError } = await import("./print.ts");
	process.exitCode = printError(error, process.argv.includes("--json"));
}
