import { defineConfig, mergeConfig } from "vitest/config";
import all from "./vitest.config.ts";

// what is pure, how the tree looks, and one pass through each surface: for the minute in which somebody is still
// thinking about the change
const { test, ...rest } = all;
export default mergeConfig(
	{ ...rest, test: { ...test, include: [], exclude: [] } },
	// most of these are pure: a worker that has loaded our source goes on to the next file
	defineConfig({
		test: {
			isolate: false,
			include: ["src/**/*.test.ts", "test/tidy.test.ts", "test/quick/**/*.test.ts"],
			exclude: ["node_modules/**"],
		},
	}),
);
