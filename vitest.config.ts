import { defineConfig } from "vitest/config";

// the test workers and the programs that tests start compile our source once, not each time
process.env["NODE_COMPILE_CACHE"] ??= "node_modules/.cache/compile";

export default defineConfig({
	test: {
		include: ["src/**/*.test.ts", "test/**/*.test.ts"],
		// the real agents: npm run test:agents
		exclude: ["test/agents/**", "node_modules/**"],
		globalSetup: ["test/global-setup.ts"],
		testTimeout: 30_000,
		hookTimeout: 30_000,
		// two cores are all that the gate counts on
		maxWorkers: 2,
	},
});
