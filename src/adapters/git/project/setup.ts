// The setup command of a new workspace, and the refusal of commands that are not approved.
import type { EffectiveSettings, RepositorySettings } from "#contract/project-config.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { ProvisionRequest } from "#engine/ports/workspace-requests.ts";
import { initSubmodules } from "../workspace/project-command.ts";

export interface SetupRequest {
	command: string | null;
	/** a fork is useful even if its setup fails */
	mayFail: boolean;
	notes: string[];
}

export function setupOf(
	{ settings, unapprovedConfig }: EffectiveSettings,
	{ project }: ProvisionRequest,
): SetupRequest | Refusal {
	if (settings.setup === null && unapprovedConfig?.setup != null) return notApproved(unapprovedConfig, project.slug);
	return { command: settings.setup, mayFail: false, notes: [] };
}

export function setupOfFork(
	{ settings, unapprovedConfig }: EffectiveSettings,
	{ project }: ProvisionRequest,
): SetupRequest {
	if (!settings.setupForks) return { command: null, mayFail: true, notes: [] };
	const isPending = settings.setup === null && unapprovedConfig?.setup != null;
	const note = `The setup command was not run: nobody has approved it yet (brood project settings ${project.slug}).`;
	return { command: settings.setup, mayFail: true, notes: isPending ? [note] : [] };
}

/**
 * Submodules come from addresses that the repository names, fetched with the person's credentials. So they are fetched
 * only if the person's own configuration says so, and by the setup command, with what that may see: inside a sandbox,
 * nothing of the person's.
 */
export function withSubmodules(
	{ command, mayFail, notes }: SetupRequest,
	{ submodules }: Pick<RepositorySettings, "submodules">,
	{ isCopy }: { isCopy: boolean },
): SetupRequest {
	// a copy has those of its parent; a fork that was made from a snapshot has none, and is told so
	if (isCopy || (mayFail && submodules !== "init")) return { command, mayFail, notes };
	if (submodules === "init")
		return { command: command === null ? initSubmodules : `${initSubmodules} && { ${command}\n}`, mayFail, notes };
	const note = `This repository has submodules, and their folders are empty here. Run \`${initSubmodules}\` if you need them.`;
	return { command, mayFail, notes: [...notes, note] };
}

export function notApproved(pending: NonNullable<EffectiveSettings["unapprovedConfig"]>, slug: string): Refusal {
	return refuse(
		"CONFLICT",
		`The repository of ${slug} wants to run commands that nobody has approved yet (brood project settings ${slug}).`,
		{
			details: { unapprovedConfig: { ...pending } },
			suggestions: [`brood project settings ${slug}`],
		},
	);
}
