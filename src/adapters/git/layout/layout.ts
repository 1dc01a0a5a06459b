// Where things are in Brood's home. A name becomes a path here and nowhere else; slugs and handles cannot contain
// anything but letters, digits and dashes, so that a name with a dot in front is always one of ours.
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
	mirror(slug: ProjectSlug): string {
		return path.join(this.project(slug), "repo.git");
	}
	primary(slug: ProjectSlug): string {
		return path.join(this.project(slug), "primary");
	}
	/** there until the checkout in `primary/` is whole */
	primaryIntent(slug: ProjectSlug): string {
		return path.join(this.project(slug), ".primary.json");
	}
	agents(slug: ProjectSlug): string {
		return path.join(this.project(slug), "agents");
	}
	agent(slug: ProjectSlug, handle: Handle): string {
		return path.join(this.agents(slug), handle);
	}
	/** what is being made at that place, until it is there */
	intent(slug: ProjectSlug, handle: Handle): string {
		return path.join(this.agents(slug), `.${handle}.json`);
	}
	/** git folders that agents have for themselves; hidden from all of them but for their own */
	ownGits(slug: ProjectSlug): string {
		return path.join(this.project(slug), "git");
	}
	ownGit(slug: ProjectSlug, name: string): string {
		return path.join(this.ownGits(slug), name);
	}
	/** the mark of such a workspace, where nobody inside can write */
	ownMark(slug: ProjectSlug, name: string): string {
		return path.join(this.ownGits(slug), `.${name}.json`);
	}
	/** what `primary/` was filled for, where it is made in a sandbox */
	primaryMark(slug: ProjectSlug): string {
		return path.join(this.project(slug), ".primary-mark.json");
	}
	scratches(slug: ProjectSlug): string {
		return path.join(this.project(slug), "scratch");
	}
	/** the commits of snapshots whose refs are gone and whose objects may be there still */
	dropped(slug: ProjectSlug): string {
		return path.join(this.project(slug), ".dropped");
	}
	get trash(): string {
		return path.join(this.home, "trash");
	}

	/**
	 * Makes the folder that a place of ours is in. Refuses if that folder turns out to be somewhere else: somebody linked
	 * it away.
	 */
	async parent(place: string): Promise<Refusal | null> {
		const folder = path.dirname(place);
		await mkdir(folder, { recursive: true, mode: 0o700 });
		const expected = path.join(await realpath(this.home), path.relative(this.home, folder));
		if ((await realpath(folder)) === expected) return null;
		return refuse("PATH_EXISTS", `${folder} leads out of Brood's home.`, {
			details: { path: folder },
			suggestions: ["brood doctor"],
		});
	}

	/** Sees to it that a place is free and inside the home. */
	async free(place: string): Promise<Refusal | null> {
		return (await this.parent(place)) ?? ((await exists(place)) ? inTheWay(place) : null);
	}
}

export function inTheWay(place: string): Refusal {
	return refuse("PATH_EXISTS", `${place} exists and is not ours to overwrite. Move it away, or choose another name.`, {
		details: { path: place },
	});
}

/** Something has that name, a broken link included. */
export async function exists(place: string): Promise<boolean> {
	return (await lstat(place).catch(() => null)) !== null;
}

/** Whether a path, links followed, is inside a folder. */
export async function isInside(folder: string, place: string): Promise<boolean> {
	const [outer, inner] = await Promise.all([realpath(folder), realpath(place)]).catch(() => [null, null]);
	return outer !== null && inner !== null && (inner === outer || inner.startsWith(outer + path.sep));
}
