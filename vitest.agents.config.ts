import path from "node:path";
import { defineConfig } from "vitest/config";
import { reporters } from "./test/support/reporters.ts";

process.env["NODE_COMPILE_CACHE"] ??= path.resolve("node_modules/.cache/compile");

// the vendors' real agents, each with a daemon and a model of its own; installed when they are first needed
export default defineConfig({
	test: {
		include: ["test/agents/**/*.test.ts"],
		reporters: reporters(),
		testTimeout: 180_000,
		hookTimeout: 600_000,
		maxWorkers: 1,
	},
});
