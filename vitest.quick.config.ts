import { defineConfig } from "vitest/config";
import { run, shared } from "./vitest.config.ts";

// what is pure, how the tree looks, and one pass through each surface: for the minute in which somebody is still
// thinking about the change
export default defineConfig({
	test: {
		...run,
		...shared,
		// most of these are pure: a worker that has loaded our source goes on to the next file
		isolate: false,
		include: ["src/**/*.test.ts", "test/tidy.test.ts", "test/quick/**/*.test.ts"],
	},
});
