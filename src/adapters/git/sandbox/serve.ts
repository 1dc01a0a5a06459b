// Inside of a sandbox: takes requests line by line, does git's work in the one tree that it is for, and answers in
// frames. What it runs is what the daemon runs elsewhere; only what it cannot see from here comes with each request.
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { randomIds } from "#adapters/system/ids.ts";
import type { ProjectSlug } from "#contract/ids.ts";
import { Layout } from "../layout/layout.ts";
import { type Git, makeGit } from "../run/git.ts";
import { type FrameKind, frameKinds, frameOf } from "../worker/frames.ts";
import { type StepContext, StepRequest, steps } from "../worker/steps.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { handlers, on, type SandboxContext } from "./inside.ts";

/** Everything of ours that is not the tree lies in its git folder: scratch trees, and what is taken away. */
class InsideLayout extends Layout {
	readonly #primary: string;
	constructor(home: string, primary: string) {
		super(home);
		this.#primary = primary;
	}
	override primary(_: ProjectSlug): string {
		return this.#primary;
	}
}

interface SandboxParts {
	input: Readable;
	output: Writable;
	environment: NodeJS.ProcessEnv;
	/** what a tree brings that a program of this type would run by itself */
	findAutorunFiles(folder: string, type: string): Promise<{ files: string[]; fingerprint: string } | null>;
	/** whether all of these files are the agent's own to change */
	areInside(folder: string, places: readonly string[]): Promise<boolean>;
}

export function serveSandbox({ input, output, environment, findAutorunFiles, areInside }: SandboxParts): void {
	on(steps.autorunFiles, async ({ checkout }, { type }) => await findAutorunFiles(checkout.workspace.path, type));
	on(steps.inside, async ({ checkout }, { places }) => ({ inside: await areInside(checkout.workspace.path, places) }));
	// what is remembered of commits there may be anything that the agent wrote
	const git = makeGit({ environment, settings: [["core.commitgraph", "false"]] });
	const send = async (id: number, kind: FrameKind, bytes: Buffer): Promise<void> =>
		await new Promise((resolve) => void output.write(frameOf({ id, kind, bytes }), () => resolve()));
	const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
	const serve = async (line: string): Promise<void> => {
		const { id, step, scene, input } = StepRequest.parse(JSON.parse(line));
		try {
			const handler = handlers.get(step);
			if (handler === undefined) throw new Error(`there is no step ${step}`);
			const answer = await handler(
				sandboxContext(git, scene, (chunk) => send(id, frameKinds.bytes, chunk)),
				input,
			);
			await send(id, frameKinds.answer, Buffer.from(JSON.stringify(answer)));
		} catch (error) {
			await send(id, frameKinds.fault, Buffer.from(error instanceof Error ? error.message : String(error)));
		}
	};
	lines.on("line", (line) => void serve(line));
}

function sandboxContext(git: Git, scene: StepContext, bytes: SandboxContext["bytes"]): SandboxContext {
	const { project, agent, workspace, given, now, primaryFolder } = scene;
	const home = path.join(workspace.path, ".git", "brood");
	const layout = new InsideLayout(home, primaryFolder);
	const context: GitContext = { git, layout, given, clock: { now: () => now }, ids: randomIds, environment: {} };
	// its repository is its own, whatever it is called outside
	return { context, scene, bytes, checkout: { project, agent, workspace: { ...workspace, kind: "clone" } } };
}
