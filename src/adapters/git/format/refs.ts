// Names as arguments for git: never an option, never a path out of `refs/`.

const forbidden = /[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|(^|\/)\.|\.(\/|$)|\.lock(\/|$)|^\/|\/$|^@$|^-/u;

/** Whether it is a valid branch name; stricter than git: no part begins with a dash. */
export function isBranchName(name: string): boolean {
	return (
		name.length > 0 &&
		name.length <= 240 &&
		!forbidden.test(name) &&
		!name.includes("/-") &&
		name !== "HEAD" &&
		!name.startsWith("refs/")
	);
}

/** The full name of a branch. */
export function branchRef(name: string): string {
	if (!isBranchName(name)) throw new Error(`${JSON.stringify(name)} is not a name for a branch`);
	return `refs/heads/${name}`;
}

/** At a site: the commit of the home node's base that was last fetched. */
export const homeBaseRef = (base: string): string => `refs/brood/home/${base}`;

/** Throws if it is not a full object id. */
export function commitId(text: string): string {
	if (!isCommitId(text)) throw new Error(`${JSON.stringify(text)} is not an id of a commit`);
	return text;
}

/** A full object id, not an abbreviated or symbolic one. */
export function isCommitId(text: string): boolean {
	return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
