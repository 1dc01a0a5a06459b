// Where the files of projects are in Brood's home. For git, a name becomes a path only here. Slugs and handles contain
// only letters, digits and dashes, so a name that begins with a dot is always one of ours.
import { lstat, mkdir, realpath } from "node:fs/promises";
import path from "node:path";
import type { Handle, ProjectSlug } from "#contract/ids.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";

export class Layout {
	readonly home: string;
	constructor(home: string) {
		this.home = home;
	}
	project(slug: ProjectSlug): string {
		return path.join(this.home, "projects", slug);
	}
	config(slug: ProjectSlug): string {
		return path.join(this.project(slug), "config.yaml");
	}
	bareClone(slug: ProjectSlug): string {
		return path.join(this.project(slug), "repo.git");
	}
	primary(slug: ProjectSlug): string {
		return path.join(this.project(slug), "primary");
	}
	/** exists until the checkout in `primary/` is complete */
	primaryIntent(slug: ProjectSlug): string {
		return path.join(this.project(slug), ".primary.json");
	}
	agents(slug: ProjectSlug): string {
		return path.join(this.project(slug), "agents");
	}
	agent(slug: ProjectSlug, handle: Handle): string {
		return path.join(this.agents(slug), handle);
	}
	/** names the workspace that is being made, until it is complete */
	intent(slug: ProjectSlug, handle: Handle): string {
		return path.join(this.agents(slug), `.${handle}.json`);
	}
	/** the git folders of sandboxed agents; each agent sees only its own */
	ownGits(slug: ProjectSlug): string {
		return path.join(this.project(slug), "git");
	}
	/** `workspace` is the path or the name of the agent's folder */
	ownGit(slug: ProjectSlug, workspace: string): string {
		return path.join(this.ownGits(slug), path.basename(workspace));
	}
	/** the marker of a sandboxed workspace, which the sandbox cannot write */
	ownMarker(slug: ProjectSlug, workspace: string): string {
		return path.join(this.ownGits(slug), `.${path.basename(workspace)}.json`);
	}
	/** the lockfiles that `primary/` was filled for, where it is filled in a sandbox */
	primaryMarker(slug: ProjectSlug): string {
		return path.join(this.project(slug), ".primary-mark.json");
	}
	scratches(slug: ProjectSlug): string {
		return path.join(this.project(slug), "scratch");
	}
	/** commits of snapshots whose refs are deleted and whose objects may still exist */
	dropped(slug: ProjectSlug): string {
		return path.join(this.project(slug), ".dropped");
	}
	get trash(): string {
		return path.join(this.home, "trash");
	}

	/** Makes the parent folder of a path. Refuses if a link takes that folder out of the home. */
	async makeParent(location: string): Promise<Refusal | null> {
		const folder = path.dirname(location);
		await mkdir(folder, { recursive: true, mode: 0o700 });
		const expected = path.join(await realpath(this.home), path.relative(this.home, folder));
		if ((await realpath(folder)) === expected) return null;
		return refuse(
			"PATH_EXISTS",
			`${folder} leads out of Brood's home: it, or a folder above it, is a link. Put a folder there instead.`,
			{
				details: { path: folder },
				suggestions: ["brood doctor"],
			},
		);
	}

	/** Makes the parent folder, and refuses if the path exists. */
	async makeParentIfFree(location: string): Promise<Refusal | null> {
		return (await this.makeParent(location)) ?? ((await exists(location)) ? inTheWay(location) : null);
	}
}

export function inTheWay(location: string): Refusal {
	return refuse(
		"PATH_EXISTS",
		`${location} exists and is not ours to overwrite. Move it away, or choose another name.`,
		{
			details: { path: location },
		},
	);
}

/** True for a broken link too. */
export async function exists(location: string): Promise<boolean> {
	return (await lstat(location).catch(() => null)) !== null;
}

/** Whether a path, links followed, is inside a folder. */
export async function isInside(folder: string, location: string): Promise<boolean> {
	const [outer, inner] = await Promise.all([realpath(folder), realpath(location)]).catch(() => [null, null]);
	return outer !== null && inner !== null && (inner === outer || inner.startsWith(outer + path.sep));
}
