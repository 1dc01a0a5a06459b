// Servers of git repositories (forges): which one a remote's address names, and the page that opens a pull request
// there.
import type { Forge } from "#contract/pull-request.ts";

export interface RemoteRepository {
	host: string;
	/** owner and name, or deeper on GitLab */
	repository: string;
}

/**
 * The server and the repository of an address: `https://…`, `ssh://…`, `git://…` or `git@host:owner/name`. User names,
 * passwords and ports of ssh are left out. Null for a folder, and for anything that could be read as something else.
 */
export function remoteRepository(address: string): RemoteRepository | null {
	const url = /^(?:https?|ssh|git):\/\/(?:[^@/]*@)?([^/:@]+)(:\d+)?\/(.+)$/.exec(address);
	const scp = url === null ? /^(?:[^@/:]+@)?([^/:@]+):(?!\/\/)(.+)$/.exec(address) : null;
	const [host, path] = url === null ? [scp?.[1], scp?.[2]] : [url[1], url[3]];
	if (host === undefined || path === undefined) return null;
	// a port of https belongs to the server, one of ssh only to the transport
	const port = /^https?:/.test(address) ? (url?.[2] ?? "") : "";
	const repository = path.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "");
	if (!/^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(host) || !/^[\w.-]+(?:\/[\w.-]+)+$/.test(repository))
		return null;
	if (repository.split("/").some((part) => /^\.{1,2}$|^-/.test(part))) return null;
	return { host: canonical(host.toLowerCase()) + port, repository };
}

/** Some servers offer ssh under another name, on the port of https. */
const canonical = (host: string): string =>
	/^(?:ssh|altssh)\.(github\.com|gitlab\.com|bitbucket\.org)$/.exec(host)?.[1] ?? host;

/** By its name; null where the name says nothing. */
export function forgeOf(host: string): Forge | null {
	const names: readonly (readonly [RegExp, Forge])[] = [
		[/(^|[.-])github([.-]|$)|\.ghe\.com$/, "github"],
		[/(^|[.-])gitlab([.-]|$)/, "gitlab"],
		[/(^|[.-])(gitea|forgejo|codeberg)([.-]|$)/, "gitea"],
		[/^bitbucket\.org$/, "bitbucket"],
	];
	return names.find(([name]) => name.test(host.replace(/:\d+$/, "")))?.[1] ?? null;
}

interface ProposedMerge {
	host: string;
	repository: string;
	target: string;
	branch: string;
	base: string;
	title: string;
	body: string;
}

/** longer texts are left out: browsers and servers cut long addresses */
const bodyMax = 1500;

/** The page on which a person opens the pull request, with its title and body filled in where the server takes them. */
export function pullRequestLink(
	forge: Forge,
	{ host, repository, target, branch, base, title, body }: ProposedMerge,
): string {
	const page = (name: string): string => `https://${host}/${name}`;
	const ref = (name: string): string => name.split("/").map(encodeURIComponent).join("/");
	const texts = { title, ...(encodeURIComponent(body.toWellFormed()).length <= bodyMax && body !== "" && { body }) };
	const query = (fields: Readonly<Record<string, string>>): string =>
		Object.entries(fields)
			.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`)
			.join("&");
	switch (forge) {
		case "github": {
			const head = target === repository ? ref(branch) : `${repository.split("/")[0]}:${ref(branch)}`;
			return `${page(target)}/compare/${ref(base)}...${head}?${query({ expand: "1", ...texts })}`;
		}
		case "gitlab": {
			const fields = {
				"merge_request[source_branch]": branch,
				"merge_request[target_branch]": base,
				"merge_request[title]": title,
				...(texts.body !== undefined && { "merge_request[description]": texts.body }),
			};
			return `${page(repository)}/-/merge_requests/new?${query(fields)}`;
		}
		case "gitea":
			return `${page(repository)}/compare/${ref(base)}...${ref(branch)}?${query(texts)}`;
		case "bitbucket":
			return `${page(repository)}/pull-requests/new?${query({ source: branch, dest: base, title })}`;
		default:
			return forge satisfies never;
	}
}
