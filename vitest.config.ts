import { defineConfig } from "vitest/config";

export default defineConfig({
	test: {
		include: ["src/**/*.test.ts", "test/**/*.test.ts"],
		globalSetup: ["test/global-setup.ts"],
		testTimeout: 30_000,
		hookTimeout: 30_000,
		// two cores are all that the gate counts on
		maxWorkers: 2,
	},
});
