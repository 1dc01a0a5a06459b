// Branch names and URLs from people. Git gets a branch only as `refs/heads/<name>` or as a commit, and a URL only after
// it was checked here.
import path from "node:path";
import { BranchName } from "#contract/project-config.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Git } from "./git.ts";
import { noteObject, packsOf, plainCommit, plainHead } from "./plain-commit.ts";

const fullName = /^(?:HEAD|refs\/[^\p{Cc}\s]+|[0-9a-f]{40}|[0-9a-f]{64})$/u;

/** The commit of HEAD, a full ref or a hash; null for anything else. */
export async function commitOf(git: Git, folder: string, ref: string): Promise<string | null> {
	if (!fullName.test(ref)) return null;
	const plain = await plainCommit(folder, ref);
	if (plain !== null) return plain.id;
	const packs = await packsOf(folder);
	const { exit, text } = await git(folder, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`], {
		answers: [1, 128],
	});
	if (exit !== 0) return null;
	noteObject(packs, text);
	return text;
}

/** The full ref that HEAD is on; null if it is detached. */
export async function headOf(git: Git, folder: string): Promise<string | null> {
	const plain = await plainHead(folder);
	if (plain !== null) return plain;
	const { exit, text } = await git(folder, ["symbolic-ref", "--quiet", "HEAD"], { answers: [1] });
	return exit === 0 ? text : null;
}

/** Refuses an invalid name, and one without a branch. */
export async function existingBranch(
	git: Git,
	repository: string,
	name: string,
): Promise<{ branch: string; commit: string | null } | Refusal> {
	const wellFormed = BranchName.safeParse(name).success;
	const commit = wellFormed ? await commitOf(git, repository, `refs/heads/${name}`) : null;
	if (commit !== null) return { branch: name, commit };
	if (!wellFormed || (await git(repository, ["check-ref-format", `refs/heads/${name}`], { answers: [1] })).exit !== 0) {
		return refuse("VALIDATION_ERROR", `${JSON.stringify(name)} is not the name of a branch.`, {
			details: { branch: name },
		});
	}
	// in a repository without commits the first branch is only a name
	if ((await headOf(git, repository)) === `refs/heads/${name}`) return { branch: name, commit: null };
	return refuse("NOT_FOUND", `There is no branch ${name}.`, {
		details: { branch: name },
		suggestions: ["brood project list"],
	});
}

const scp = /^(?:[A-Za-z0-9][A-Za-z0-9._-]*@)?[A-Za-z0-9][A-Za-z0-9.-]*:(?![/:])[^\p{Cc}\s]+$/u;

/** Whether it is meant as a URL and not as a path. */
export function looksLikeUrl(source: string): boolean {
	return !path.isAbsolute(source) && (source.includes("://") || scp.test(source) || source.includes("::"));
}

/** Refuses remote helpers, options instead of a host, and passwords, which would end up in files. */
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
	"A URL with a password or a token in it, also after ? or #, ends up in files. Use a credential helper or ssh.",
);

/**
 * The address of a repository's remote for another folder: without credentials, and a relative path made absolute. Null
 * where there is none that can be used.
 */
export function addressElsewhere(address: string, repository: string): string | null {
	const url = withoutSecrets(address);
	if (url === "" || url.startsWith("-")) return null;
	return looksLikeUrl(url) || url.startsWith("~") ? url : path.resolve(repository, url);
}

/** The address without credentials; empty where a secret cannot be recognised. */
export function withoutSecrets(address: string): string {
	// git reads user:password@host:path as a path on the host `user`; the person meant a password
	if (!address.includes("://")) return /^[^/@]*:[^/]*@/.test(address) ? "" : address;
	if (!URL.canParse(address)) return "";
	const url = new URL(address);
	const { protocol, username, password, search, hash } = url;
	if (protocol === "file:") return address;
	// over http a user name alone is usually a token; ssh needs one to log in
	const isWeb = !protocol.endsWith("ssh:");
	if (password === "" && search === "" && hash === "" && !(isWeb && username !== "")) return address;
	Object.assign(url, { password: "", search: "", hash: "", ...(isWeb && { username: "" }) });
	return url.href;
}
