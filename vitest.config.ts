import path from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { reporters } from "./test/support/reporters.ts";

// The test workers and the programs that tests start compile our source once, not each time. By its whole name: agents
// work in folders of their own.
process.env["NODE_COMPILE_CACHE"] ??= path.resolve("node_modules/.cache/compile");
// To start a process (git, thousands of times) the kernel copies the page table of the process that starts it: a third
// of the time if malloc's memory is in huge pages.
process.env["GLIBC_TUNABLES"] ??= "glibc.malloc.hugetlb=1";

/**
 * What takes more than a quarter of a minute, longest first. One that began last would leave the other core idle; a
 * fresh clone cannot know.
 */
const long = [
	...["workspaces/crash", "workspaces/trees", "browser/core", "workspaces/remotes", "api/readme", "browser/pages"],
	...["workspaces/release", "nodes/processes", "turns/containment", "turns/sessions", "workspaces/cut-off-inside"],
	// these wait most of the time
	...["nodes/processes-frozen", "nodes/processes-database", "nodes/promotion", "nodes/versions", "nodes/fairness"],
	...["turns/daemon", "workspaces/daemon", "api/cli", "crash/daemon", "turns/model", "api/keys", "issues/daemon"],
	...["tui/screen", "api/small", "workspaces/keeping", "history/replay", "workspaces/sandbox", "workspaces/traps"],
	...["turns/once", "browser/streams", "workspaces/approve", "workspaces/retention", "crash/postgres", "api/visible"],
	...["slots/daemon", "workspaces/own-git", "crash/sqlite", "api/reasons", "turns/approval-questions", "api/lock"],
	...["api/install", "api/run", "workspaces/stopping", "workspaces/hostile", "workspaces/damage", "browser/sign-in"],
	...["faults/projects", "workspaces/names", "workspaces/cut-off", "api/ps", "api/logins", "turns/hostile"],
	...["llm/llm"],
].map((name) => `/test/${name}.test.ts`);

/**
 * Short files that close what they open and change nothing of their process: they go through the same workers one after
 * the other. Loading our source for each of them would take longer than their tests.
 */
const together = [
	"test/{commands,dispatch,engine,environment,golden,source-documents}.test.ts",
	"test/api/{document,guard,lists,mirror,names,persons,raw,setup,stream,uninstall}.test.ts",
	"test/conformance/{bounded,lists,plans,receipts,search,store}.test.ts",
	"test/faults/{log,neighbours,settings}.test.ts",
	"test/history/{broken,source-documents}.test.ts",
	"test/issues/{executed,falcon,flow,verbs}.test.ts",
	"test/nodes/{database,errand-faults,errands,fence,moved-trees,moving,placement,routes}.test.ts",
	"test/nodes/{rows,simulation,surfaces,tail,writers}.test.ts",
	"test/slots/{fairness,simulation}.test.ts",
	"test/tui/{away,blocks,code,conversation,copying,input,interrupt,other-project,page,panels,parts,question}.test.ts",
	"test/tui/{review,saved,told}.test.ts",
	"test/turns/{budget,clocks,context,control,faults,interleaving,kill-words,last-end,messaging}.test.ts",
	"test/turns/{prompt-authors,quotations}.test.ts",
	"test/workspaces/{forking,git,keyring,plain-commit,preview,snapshots}.test.ts",
];

class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const sorted = await super.sort(files);
		const first = long.flatMap((name) => sorted.filter(({ moduleId }) => moduleId.endsWith(name)));
		// a worker goes on to the next file only if that is of the same project
		const rank = ({ project }: TestSpecification): number => ["test", "together", "src"].indexOf(project.name);
		return [...first, ...sorted.filter((file) => !first.includes(file)).sort((a, b) => rank(a) - rank(b))];
	}
}

/** What every test file has, whichever project it belongs to. */
export const shared = {
	alias: { "#local/programs.ts": path.resolve("test/support/programs.ts") },
	setupFiles: ["test/support/sync-deadline.ts", "test/support/temporary-folder.ts"],
	// as the daemon runs: a process starts another (git, thousands of times) the slower the more memory it has
	execArgv: ["--max-semi-space-size=2"],
	testTimeout: 30_000,
	hookTimeout: 30_000,
	// a machine under load takes longer than the second that vitest waits by itself
	expect: { poll: { timeout: 25_000 } },
	// a test that waits for agents leaves its core to another, where a file says that they do not disturb each other
	maxConcurrency: 2,
};

/** What a whole run has. */
export const run = {
	globalSetup: ["test/global-setup.ts"],
	reporters: reporters(),
	// two cores are all that `npm test` counts on; with four workers, tests of daemons and agents leave them idle a
	// quarter of the time
	maxWorkers: 5,
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
					exclude: ["test/agents/**", "test/quick/**", ...together],
				},
			},
			{ test: { ...shared, name: "together", include: together, isolate: false } },
		],
	},
});
