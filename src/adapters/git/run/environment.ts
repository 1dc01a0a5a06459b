// What git gets to see of the daemon's environment: enough to find the user's configuration, keys and proxies, and none
// of the GIT_ variables that would point it somewhere else.
import path from "node:path";

const allowed =
	/^(HOME|USER|LOGNAME|TMPDIR|TZ|XDG_CONFIG_HOME|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS|SSH_AUTH_SOCK|GNUPGHOME|(HTTPS?|ALL|NO|https?|all|no)_(PROXY|proxy)|SSL_CERT_(FILE|DIR))$/;

export function environmentOfGit(from: NodeJS.ProcessEnv): Record<string, string> {
	const passed = Object.entries(from).filter(
		(entry): entry is [string, string] => entry[1] !== undefined && allowed.test(entry[0]),
	);
	return {
		...Object.fromEntries(passed),
		// a relative entry would find programs of the repository itself
		PATH: (from["PATH"] ?? "/usr/local/bin:/usr/bin:/bin")
			.split(path.delimiter)
			.filter(path.isAbsolute)
			.join(path.delimiter),
		LC_ALL: "C",
		GIT_TERMINAL_PROMPT: "0",
		GIT_OPTIONAL_LOCKS: "0",
		// an object is what its name says, and a commit's parents are those that it names: nobody sees other work than what
		// is merged
		GIT_NO_REPLACE_OBJECTS: "1",
		GIT_GRAFT_FILE: "/dev/null/none",
		GIT_EDITOR: ":",
		GIT_SEQUENCE_EDITOR: ":",
		GIT_PAGER: "cat",
		SSH_ASKPASS_REQUIRE: "never",
	};
}
