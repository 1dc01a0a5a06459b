// The worker's main loop, inside the sandbox: reads requests line by line, runs git steps in its one tree, and answers
// in frames. It runs the same code as the daemon; what it cannot see from here comes with each request.
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import type { CheckedFiles, FileCheck } from "#contract/file-check.ts";
import type { ProjectSlug } from "#contract/ids.ts";
import { expected } from "#contract/log.ts";
import { messageOf } from "#contract/message-of.ts";
import { Layout } from "../layout/layout.ts";
import { type Git, makeGit } from "../run/git.ts";
import { type FrameKind, frameKinds, frameOf } from "../worker/frames.ts";
import { type StepContext, StepRequest, steps } from "../worker/steps.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { handlers, on, type SandboxContext } from "./inside.ts";
import { momentText, removeOldLocks, startedName } from "./old-locks.ts";

/** Our own folders, such as scratch trees, are inside the git folder. */
class InsideLayout extends Layout {
	readonly #stepContext: StepContext;
	constructor(home: string, stepContext: StepContext) {
		super(home);
		this.#stepContext = stepContext;
	}
	override primary(_: ProjectSlug): string {
		return this.#stepContext.primaryFolder;
	}
	/** where it is outside: a project by URL has no checkout to copy files from */
	override bareClone(slug: ProjectSlug): string {
		return this.#stepContext.projectFolder === null ? this.#stepContext.project.path : super.bareClone(slug);
	}
}

interface SandboxParts {
	input: Readable;
	output: Writable;
	environment: NodeJS.ProcessEnv;
	/** files in the tree that a program of this type would run without asking */
	findAutorunFiles(folder: string, type: string): Promise<{ files: string[]; fingerprint: string } | null>;
	/** what has to be known of the files of a call */
	checkFiles(folder: string, check: FileCheck): Promise<CheckedFiles>;
}

export function serveSandbox({ input, output, environment, findAutorunFiles, checkFiles }: SandboxParts): void {
	on(steps.autorunFiles, async ({ checkout }, { type }) => await findAutorunFiles(checkout.workspace.path, type));
	on(steps.checkFiles, async ({ checkout }, check) => await checkFiles(checkout.workspace.path, check));
	// the agent could have written the commit graph
	const git = makeGit({ environment, settings: [["core.commitgraph", "false"]] });
	const send = async (id: number, kind: FrameKind, bytes: Buffer): Promise<void> =>
		await new Promise((resolve) => void output.write(frameOf({ id, kind, bytes }), () => resolve()));
	const [started = "0 0", now] = [environment[startedName], momentText(systemClock.now())];
	const ready = removeOldLocks(path.resolve(".git"), started, now).catch(expected("a step that meets a lock says so"));
	const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
	const serve = async (line: string): Promise<void> => {
		const { id, step, stepContext, input } = StepRequest.parse(JSON.parse(line));
		try {
			await ready;
			const handler = handlers.get(step);
			if (handler === undefined) throw new Error(`there is no step ${step}`);
			const answer = await handler(
				sandboxContext(git, stepContext, (chunk) => send(id, frameKinds.bytes, chunk)),
				input,
			);
			await send(id, frameKinds.answer, Buffer.from(JSON.stringify(answer)));
		} catch (error) {
			await send(id, frameKinds.fault, Buffer.from(messageOf(error)));
		}
	};
	lines.on("line", (line) => void serve(line));
}

function sandboxContext(git: Git, stepContext: StepContext, bytes: SandboxContext["bytes"]): SandboxContext {
	const { project, agent, workspace, given, now } = stepContext;
	const home = path.join(workspace.path, ".git", "brood");
	const layout = new InsideLayout(home, stepContext);
	const context: GitContext = { git, layout, given, clock: { now: () => now }, ids: randomIds, environment: {} };
	// inside, it is a repository of its own, whatever its kind outside
	return { context, stepContext, bytes, checkout: { project, agent, workspace: { ...workspace, kind: "clone" } } };
}
