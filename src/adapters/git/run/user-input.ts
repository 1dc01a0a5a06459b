// Branch names and URLs given by people. A branch is only ever handed to git as `refs/heads/<name>` or as the commit it
// stands for; a URL only after it was taken apart here.
import path from "node:path";
import { BranchName } from "#contract/project-config.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Git } from "./git.ts";

const fullName = /^(?:HEAD|refs\/[^\p{Cc}\s]+|[0-9a-f]{40}|[0-9a-f]{64})$/u;

/** The commit that a full ref or a hash stands for, or null; nothing else is shown to git. */
export async function commitOf(git: Git, folder: string, ref: string): Promise<string | null> {
	if (!fullName.test(ref)) return null;
	const { code, text } = await git(folder, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`], {
		answers: [1, 128],
	});
	return code === 0 ? text : null;
}

/** Refuses a name that is none, and one that no branch has. */
export async function existingBranch(
	git: Git,
	repository: string,
	name: string,
): Promise<{ branch: string; commit: string | null } | Refusal> {
	const wellFormed = BranchName.safeParse(name).success;
	const commit = wellFormed ? await commitOf(git, repository, `refs/heads/${name}`) : null;
	if (commit !== null) return { branch: name, commit };
	if (!wellFormed || (await git(repository, ["check-ref-format", `refs/heads/${name}`], { answers: [1] })).code !== 0) {
		return refuse("VALIDATION_ERROR", `${JSON.stringify(name)} is not the name of a branch.`, {
			details: { branch: name },
		});
	}
	// a repository without commits has its first branch by name only
	const head = await git(repository, ["symbolic-ref", "--quiet", "HEAD"], { answers: [1] });
	if (head.text === `refs/heads/${name}`) return { branch: name, commit: null };
	return refuse("NOT_FOUND", `There is no branch ${name}.`, {
		details: { branch: name },
		suggestions: ["brood project list"],
	});
}

/**
 * The agent's branch: in a folder of its own, or beside it where a branch has the folder's name; and whether somebody
 * has it already.
 */
export async function branchFor(
	git: Git,
	repository: string,
	handle: string,
): Promise<{ name: string; taken: boolean }> {
	const { text } = await git(repository, [
		"for-each-ref",
		"--format=%(refname)",
		"refs/heads/brood",
		`refs/heads/brood-${handle}`,
	]);
	const present = new Set(text.split("\n"));
	const name = present.has("refs/heads/brood") ? `brood-${handle}` : `brood/${handle}`;
	return { name, taken: present.has(`refs/heads/${name}`) };
}

const scp = /^(?:[A-Za-z0-9][A-Za-z0-9._-]*@)?[A-Za-z0-9][A-Za-z0-9.-]*:(?![/:])[^\p{Cc}\s]+$/u;

/** Whether somebody means a URL and not a path. */
export function looksLikeUrl(source: string): boolean {
	return !path.isAbsolute(source) && (source.includes("://") || scp.test(source) || source.includes("::"));
}

/**
 * Refuses what git would not only fetch from: helpers, options in a host's place, passwords that would end up in files.
 */
export function checkUrl(source: string): Refusal | null {
	const refused = (why: string): Refusal =>
		refuse("VALIDATION_ERROR", `${JSON.stringify(source)} cannot be cloned: ${why}.`);
	if (scp.test(source) && !source.includes("::") && !source.includes("://"))
		return withoutSecrets(source) === source ? null : secretRefusal;
	if (/[\p{Cc}\s]/u.test(source) || source.length > 2000) return refused("it is not a URL");
	const url = URL.canParse(source) ? new URL(source) : null;
	if (url === null || !["https:", "http:", "ssh:", "git:", "file:"].includes(url.protocol))
		return refused("use https, ssh or a path on this machine");
	if (withoutSecrets(source) !== source) return secretRefusal;
	if (url.hostname.startsWith("-") || url.username.startsWith("-") || (url.protocol !== "file:" && url.hostname === ""))
		return refused("it names no host");
	return null;
}

const secretRefusal = refuse(
	"VALIDATION_ERROR",
	"A URL with a password or a token in it, also behind ? or #, ends up in files. Use a credential helper or ssh.",
);

/**
 * The address alone, as it was written where it has nothing else; empty where nobody can tell what is a secret in it.
 */
export function withoutSecrets(address: string): string {
	// user:password@host:path is an address of the host `user` to git, and of nothing else to whoever wrote it
	if (!address.includes("://")) return /^[^/@]*:[^/]*@/.test(address) ? "" : address;
	if (!URL.canParse(address)) return "";
	const url = new URL(address);
	const { protocol, username, password, search, hash } = url;
	if (protocol === "file:") return address;
	// over http a user's name alone is a token most of the time; ssh needs one to log in with
	const isWeb = !protocol.endsWith("ssh:");
	if (password === "" && search === "" && hash === "" && !(isWeb && username !== "")) return address;
	Object.assign(url, { password: "", search: "", hash: "", ...(isWeb && { username: "" }) });
	return url.href;
}
