// Runs a check or a gate in a tree of exactly the commit that would be merged, with what agents share. The tree is
// removed afterwards.
import type { RepositorySettings } from "#contract/project-config.ts";
import type { CommandRun } from "#contract/workspace.ts";
import type { AgentIdentity, ProjectRepository, StepControl } from "#engine/ports/workspace-requests.ts";
import { readPrimaryMarkerAt } from "../layout/marker.ts";
import { inSandboxedScratch } from "../sandbox/primary.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { runProjectCommand } from "../workspace/project-command.ts";
import { wantsSandbox } from "../workspace/sandbox-mounts.ts";
import { inScratch } from "../workspace/scratch.ts";
import { share, shareFrom } from "../workspace/shared.ts";

interface Where {
	project: ProjectRepository;
	agent?: AgentIdentity;
	commit: string;
	settings: RepositorySettings;
}

export async function runInCheckTree(
	context: GitContext,
	command: string,
	{ project, agent, commit, settings }: Where,
	control: StepControl,
): Promise<CommandRun> {
	// with an invalid configuration the command is not run
	const sandboxed = (await wantsSandbox(context, project)) !== false;
	const run = async (folder: string): Promise<CommandRun> => {
		const marker = sandboxed ? { filled: await readPrimaryMarkerAt(context.layout.primaryMarker(project.slug)) } : {};
		await share(context.git, folder, { ...shareFrom(context, project), ...marker }, settings);
		return await runProjectCommand(
			context,
			command,
			{ project, folder, env: settings.env, ...(agent && { agent }) },
			control,
		);
	};
	return sandboxed
		? await inSandboxedScratch(context, project, commit, run)
		: await inScratch(context, project, project.path, commit, run);
}
