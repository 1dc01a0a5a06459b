import { defineConfig, mergeConfig } from "vitest/config";
import all from "./vitest.config.ts";

// what is pure, how the tree looks, and one pass through each surface: for the minute in which somebody is still thinking about the change
const { test, ...rest } = all;
export default mergeConfig(
	{ ...rest, test: { ...test, include: [], exclude: [] } },
	defineConfig({ test: { include: ["src/**/*.test.ts", "test/tidy.test.ts", "test/quick/**/*.test.ts"], exclude: ["node_modules/**"] } }),
);
