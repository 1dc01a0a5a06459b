// The person on whose behalf merges are made, as their git configuration names them.
import type { Git } from "../run/git.ts";

/** As variables; Brood itself where git knows nobody. */
export async function personIdentity(git: Git, repository: string): Promise<Record<string, string>> {
	const [name, email] = await Promise.all(
		["user.name", "user.email"].map(async (key) => await git(repository, ["config", "--get", key], { answers: [1] })),
	);
	if (!name?.text || !email?.text) return brood;
	return as(name.text, email.text);
}

const as = (name: string, email: string): Record<string, string> => ({
	GIT_AUTHOR_NAME: name,
	GIT_AUTHOR_EMAIL: email,
	GIT_COMMITTER_NAME: name,
	GIT_COMMITTER_EMAIL: email,
});

const brood = as("brood", "brood@brood.local");
