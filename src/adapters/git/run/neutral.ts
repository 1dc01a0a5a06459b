// The keys of git's configuration that run a program or weaken a guard, each with a harmless value.
// Section and variable names are in lower case, as git lists them.

/** Set for every command. */
export const alwaysSet: readonly (readonly [string, string])[] = [
	["core.hookspath", "/dev/null"],
	["core.fsmonitor", "false"],
	["core.pager", "cat"],
	["color.ui", "false"],
	["log.showsignature", "false"],
	["protocol.ext.allow", "never"],
	["safe.barerepository", "explicit"],
	["submodule.recurse", "false"],
	["fetch.recursesubmodules", "false"],
	["push.recursesubmodules", "no"],
	["diff.ignoresubmodules", "dirty"],
	["status.submodulesummary", "false"],
	// a person may still look for unreachable objects
	["gc.auto", "0"],
	["maintenance.auto", "false"],
	// objects and refs; flushing an index would wait for every checked-out file
	["core.fsync", "committed"],
	["core.fsyncmethod", "batch"],
];

/** Git's built-in merge of texts. */
const textMerge = "git merge-file -q --marker-size=%L %A %O %B";

const neutrals: readonly (readonly [RegExp, string])[] = [
	[/^core\.sshcommand$/, "ssh"],
	[/^core\.askpass$/, ""],
	[/^(core|sequence)\.editor$/, ":"],
	[/^core\.alternaterefscommand$/, "true"],
	[/^filter\..*\.(clean|smudge|process)$/, ""],
	[/^filter\..*\.required$/, "false"],
	[/^merge\..*\.driver$/, textMerge],
	[/^remote\..*\.uploadpack$/, "git-upload-pack"],
	[/^remote\..*\.receivepack$/, "git-receive-pack"],
	[/^remote\..*\.vcs$/, ""],
	[/^gpg\.(openpgp\.)?program$/, "gpg"],
	[/^gpg\.x509\.program$/, "gpgsm"],
	[/^gpg\.ssh\.program$/, "ssh-keygen"],
	[/^gpg\.ssh\.defaultkeycommand$/, "true"],
	[/^(commit|tag|push)\.gpgsign$/, "false"],
	[/^tag\.forcesignannotated$/, "false"],
	[/^submodule\..*\.update$/, "checkout"],
	[/^http\.(.*\.)?savecookies$/, "false"],
	[/^http\.(.*\.)?sslverify$/, "true"],
	[/^protocol\.(.*\.)?allow$/, "user"],
	[/^hook\..*\.command$/, "true"],
	[/^tar\..*\.command$/, "cat"],
	[/^interactive\.difffilter$/, "cat"],
	// git-lfs, which may be the user's own filter, runs these
	[/^lfs\.customtransfer\..*\.path$/, "false"],
	[/^lfs\.(.*\.)?standalonetransferagent$/, ""],
	[/^lfs\.extension\..*\.(clean|smudge)$/, "false"],
];

/** Null for a harmless key. */
export function neutralFor(key: string): string | null {
	return neutrals.find(([pattern]) => pattern.test(key))?.[1] ?? null;
}
