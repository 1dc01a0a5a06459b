// The first run: where there is no project yet, a small one with an agent that has done something already.
import type { Git } from "#adapters/git/run/git.ts";
import type { CommandInput } from "#contract/command.ts";
import { human, ProjectSlug } from "#contract/ids.ts";
import type { Engine } from "#engine/engine.ts";
import { until } from "#engine/loop/until.ts";
import { makePlaygroundRepository, playground } from "#local/playground-repository.ts";

const firstPrompt = [
	"say Hello. I am a scripted agent: every line of a prompt is an instruction to me.",
	"run echo This ran in $(pwd)",
	"write hello.txt A file that I wrote.",
	"say Ask me something else.",
].join("\n");

/** Returns what to tell the newcomer. */
export async function makePlayground(engine: Engine, home: string, git: Git): Promise<string[]> {
	if ((await engine.reads.projects()).length > 0) return tryNext;
	const folder = await makePlaygroundRepository(home, git);
	const slug = ProjectSlug.parse(playground);
	const say = (command: CommandInput) => engine.dispatch({ actor: human, key: null, command });
	await say({ type: "project.add", slug, path: folder, base: "main" });
	await say({ type: "project.configure", slug, agentType: "scripted" });
	await say({
		type: "agent.spawn",
		parent: engine.agentZero.id,
		context: "fresh",
		project: slug,
		name: "first",
		agentType: "scripted",
		prompt: firstPrompt,
	});
	await until(engine.publisher, async () => {
		const agent = (await engine.reads.agents({ project: slug, life: "living" }))[0];
		const [turn] = agent === undefined ? [] : await engine.reads.latestTurns(agent.id, 1);
		return turn !== undefined && turn.state !== "open" ? true : null;
	});
	return ["made a project `playground` with an agent `first` that has done its first turn", ...tryNext];
}

const tryNext = [
	"try next, in another terminal:",
	"  ./bin/brood tree",
	"  ./bin/brood log first",
	"  ./bin/brood fork first 'say I am the child, and I remember everything'",
	"  ./bin/brood prompt first 'run date' --wait",
];
