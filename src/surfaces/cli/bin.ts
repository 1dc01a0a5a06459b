import { program } from "./program.ts";

// `brood log first | head` has read enough
process.stdout.on("error", () => process.exit(0));
try {
	await program().parseAsync();
} catch (error) {
	// commands print their own errors; anything unexpected is printed as one sentence too
	const { printError } = await import("./print.ts");
	process.exitCode = printError(error, process.argv.includes("--json"));
}
