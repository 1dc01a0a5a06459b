// How test runs report. BROOD_TEST_REPORT names a file for the results as JSON.
import { spawnSync } from "node:child_process";
import path from "node:path";
import type { ViteUserConfig } from "vitest/config";
import type { Reporter, TestCase, TestModule } from "vitest/node";

type Reporters = Exclude<NonNullable<NonNullable<ViteUserConfig["test"]>["reporters"]>, string | Reporter>;

export function reporters(): Reporters {
	const file = process.env["BROOD_TEST_REPORT"];
	const all: Reporters = ["default", new StuckReporter()];
	return file === undefined ? all : [...all, ["json", { outputFile: file }]];
}

const saidAfterMs = 180_000;
const endedAfterMs = 900_000;

/**
 * Names the test files that are still running if no test has ended for minutes, and ends the run if none will: a test
 * that hangs has to be known by its name.
 */
class StuckReporter implements Reporter {
	readonly #running = new Map<TestModule, Set<TestCase>>();
	#timer: NodeJS.Timeout | undefined;
	#lastResultAt = performance.now();

	onTestRunStart(): void {
		this.#lastResultAt = performance.now();
		this.#timer = setInterval(() => this.#look(), saidAfterMs);
		this.#timer.unref();
	}

	onTestModuleQueued(module: TestModule): void {
		this.#running.set(module, new Set());
	}

	onTestCaseReady(test: TestCase): void {
		this.#running.get(test.module)?.add(test);
	}

	onTestCaseResult(test: TestCase): void {
		this.#lastResultAt = performance.now();
		this.#running.get(test.module)?.delete(test);
	}

	onTestModuleEnd(module: TestModule): void {
		this.#lastResultAt = performance.now();
		this.#running.delete(module);
	}

	onTestRunEnd(): void {
		clearInterval(this.#timer);
	}

	#look(): void {
		const quietMs = performance.now() - this.#lastResultAt;
		if (quietMs < saidAfterMs) return;
		const names = [...this.#running].map(([module, tests]) =>
			[path.relative(process.cwd(), module.moduleId), ...[...tests].map((test) => `"${test.fullName}"`)].join(" "),
		);
		console.error(`No test has ended for ${Math.round(quietMs / 1000)} s. Still running:\n  ${names.join("\n  ")}`);
		const processes = spawnSync("ps", ["-eo", "pid,ppid,stat,etimes,wchan:20,args"], { encoding: "utf8" }).stdout;
		console.error(processes.replaceAll(/^(.{200}).*$/gm, "$1…"));
		// the run would never end by itself, and no report would be written; a test in its long form may take hours
		if (quietMs > endedAfterMs && process.env["BROOD_TORTURE"] === undefined) process.exit(1);
	}
}
