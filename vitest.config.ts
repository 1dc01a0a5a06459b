import path from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { reporters } from "./test/support/reporters.ts";

// The test workers and the programs that tests start compile our source once, not each time. By its whole name: agents
// work in folders of their own.
process.env["NODE_COMPILE_CACHE"] ??= path.resolve("node_modules/.cache/compile");

/**
 * What takes more than half a minute, longest first. One that began last would leave the other core idle; a fresh clone
 * cannot know.
 */
const long = [
	"api/readme",
	"crash/daemon",
	"workspaces/trees",
	"turns/containment",
	"workspaces/crash",
	"api/cli",
	"turns/daemon",
	"issues/daemon",
	"turns/sessions",
	"crash/sqlite",
	"workspaces/daemon",
	"history/replay",
].map((name) => `/test/${name}.test.ts`);

class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const sorted = await super.sort(files);
		const first = long.flatMap((name) => sorted.filter(({ moduleId }) => moduleId.endsWith(name)));
		return [...first, ...sorted.filter((file) => !first.includes(file))];
	}
}

/** What every test file has, whichever project it belongs to. */
export const shared = {
	alias: { "#local/programs.ts": path.resolve("test/support/programs.ts") },
	setupFiles: ["test/support/sync-deadline.ts"],
	testTimeout: 30_000,
	hookTimeout: 30_000,
	// a test that waits for agents leaves its core to another, where a file says that they do not disturb each other
	maxConcurrency: 2,
};

/** What a whole run has. */
export const run = {
	globalSetup: ["test/global-setup.ts"],
	reporters: reporters(),
	// two cores are all that the gate counts on; tests of daemons and agents leave them idle a third of the time
	maxWorkers: 3,
};

export default defineConfig({
	test: {
		...run,
		sequence: { sequencer: LongestFirst },
		projects: [
			// these are pure: a worker that has loaded our source goes on to the next file
			{ test: { ...shared, name: "src", include: ["src/**/*.test.ts"], isolate: false } },
			{
				test: {
					...shared,
					name: "test",
					include: ["test/**/*.test.ts"],
					// the real agents: npm run test:agents; what the rest has in detail: npm run test:quick
					exclude: ["test/agents/**", "test/quick/**"],
				},
			},
		],
	},
});
