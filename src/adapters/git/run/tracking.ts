// What a fetch may write. A repository's configuration can name any of its refs as the place of a remote's branches,
// its own branches and ours included, and a fetch would overwrite them.
import type { Git } from "./git.ts";

/**
 * The configured refspecs of a remote that only write its remote-tracking branches; all branches, if there are none.
 * For a fetch with an empty `--refmap`, without which git obeys the configured ones as well.
 */
export async function trackingRefspecs(git: Git, folder: string, remote: string): Promise<string[]> {
	const configured = await git(folder, ["config", "--get-all", `remote.${remote}.fetch`], { answers: [1] });
	const harmless = configured.text
		.split("\n")
		.filter((refspec) => /^(\^refs\/[^:]+|\+?refs\/[^:]+:refs\/remotes\/[^:]+)$/.test(refspec));
	const tracks = harmless.some((refspec) => !refspec.startsWith("^"));
	return tracks ? harmless : [`+refs/heads/*:refs/remotes/${remote}/*`];
}
