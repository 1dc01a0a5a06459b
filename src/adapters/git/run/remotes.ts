// The other side of a fetch or a push. For a repository on this machine git runs a second git, which does not inherit
// our settings and would run that repository's hooks, so it gets the settings on its command line. For an address that
// we do not recognise as local, git may not use the file protocol.

/** One value of the configuration, and the scope of its file. */
export interface Setting {
	scope: string;
	key: string;
	value: string;
}

export interface Remotes {
	/** remotes that are on this machine */
	here: readonly string[];
	/** the repository itself names the program for the other side */
	programs: boolean;
	/** a setting of the repository itself that decides which servers are trusted */
	certificates: string | null;
	/** any command may fetch missing objects */
	promised: boolean;
}

type Across = { args: readonly string[]; overrides: readonly (readonly [string, string])[] } | { refused: string };

const receivers = ["push", "send-pack"];
const senders = ["fetch", "pull", "ls-remote", "clone", "fetch-pack"];
const others = ["remote", "submodule"];

export function remotesIn(settings: readonly Setting[], local: readonly Setting[]): Remotes {
	const addresses = settings.flatMap(({ key, value }) => {
		const name = /^remote\.(.*)\.(push)?url$/.exec(key)?.[1];
		return name === undefined || !isHere(value) ? [] : [name];
	});
	return {
		here: addresses,
		programs: local.some(({ key }) => /^remote\..*\.(uploadpack|receivepack|vcs)$/.test(key)),
		certificates:
			local.find(
				({ key }) => choosesServers(key) && !settings.some((other) => other.key === key && !local.includes(other)),
			)?.key ?? null,
		promised: local.some(({ key }) => /^(remote\..*\.promisor|extensions\.partialclone)$/.test(key)),
	};
}

export function throughRemotes(args: readonly string[], remotes: Remotes): Across {
	const at = verbAt(args);
	const verb = args[at] ?? "";
	const crosses = receivers.includes(verb) || senders.includes(verb);
	const here =
		crosses && args.slice(at + 1).some((arg) => !arg.startsWith("-") && (remotes.here.includes(arg) || isHere(arg)));
	const risky = (crosses && !here) || others.includes(verb) || remotes.promised;
	if (remotes.programs && risky)
		return { refused: "the repository's configuration names programs for the other side of a remote" };
	if (remotes.certificates !== null && risky) return { refused: ownAuthority(remotes.certificates) };
	if (!crosses) return { args, overrides: [] };
	if (!here) return { args, overrides: [["protocol.file.allow", "never"]] };
	const program = receivers.includes(verb)
		? `--receive-pack=${guarded} receive-pack`
		: `--upload-pack=${guarded} upload-pack`;
	return {
		args: [...args.slice(0, at + 1), program, ...args.slice(at + 1)],
		overrides: [["protocol.file.allow", "user"]],
	};
}

/** With such a setting a repository could bring its own authority, and get the password for another server. */
export const choosesServers = (key: string): boolean =>
	/^http\.(.*\.)?((proxy)?ssl(cainfo|capath)|sslversion|sslcipherlist|sslbackend|schannel\w+)$/.test(key);

const ownAuthority = (key: string): string =>
	`the repository's own configuration sets ${key}, which decides which servers git believes; if you want that, set it with git config --global`;

/** The index of the verb, after the global options. */
export function verbAt(args: readonly string[]): number {
	let at = 0;
	// a missed option would hide the verb
	while (args[at]?.startsWith("-") === true) at += args[at] === "-c" || args[at] === "-C" ? 2 : 1;
	return at;
}

const isHere = (address: string): boolean => /^(\/|\.\.?(\/|$)|~|file:\/\/)/.test(address);

const settingsThere: readonly string[] = [
	"core.hooksPath=/dev/null",
	"core.fsmonitor=false",
	"core.alternateRefsCommand=true",
	"gc.auto=0",
	"maintenance.auto=false",
	"receive.autogc=false",
	// updating the working tree there would run its filters
	"receive.denyCurrentBranch=refuse",
];
const guarded = `git ${settingsThere.map((setting) => `-c ${setting}`).join(" ")}`;
