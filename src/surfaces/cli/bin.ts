import { program } from "./program.ts";

// `brood log first | head` has read enough
process.stdout.on("error", () => process.exit(0));
await program().parseAsync();
