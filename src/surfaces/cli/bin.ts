import { program } from "./program.ts";

// `brood log first | head` has read enough
process.stdout.on("error", () => process.exit(0));
try {
	await program().parseAsync();
} catch (error) {
	// a command tells its troubles itself; what it did not think of is told in a sentence as well
	const { printError } = await import("./print.ts");
	process.exitCode = printError(error, process.argv.includes("--json"));
}
