// The environment of git: enough to find the user's configuration, keys and proxies, and none of the GIT_ variables
// that would redirect it.
import path from "node:path";

const allowed =
	/^(HOME|USER|LOGNAME|TMPDIR|TZ|XDG_CONFIG_HOME|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS|SSH_AUTH_SOCK|GNUPGHOME|(HTTPS?|ALL|NO|https?|all|no)_(PROXY|proxy)|SSL_CERT_(FILE|DIR))$/;

/** A server that takes the connection and then sends or takes nothing for so long is given up. */
const stallSecondsDefault = 60;

export function environmentOfGit(
	from: NodeJS.ProcessEnv,
	{ stallSeconds = stallSecondsDefault }: { stallSeconds?: number | undefined } = {},
): Record<string, string> {
	const passed = Object.entries(from).filter(
		(entry): entry is [string, string] => entry[1] !== undefined && allowed.test(entry[0]),
	);
	return {
		...Object.fromEntries(passed),
		// a relative entry would find programs in the repository
		PATH: (from["PATH"] ?? "/usr/local/bin:/usr/bin:/bin")
			.split(path.delimiter)
			.filter(path.isAbsolute)
			.join(path.delimiter),
		LC_ALL: "C",
		// nobody answers: a program that asks for a password fails at once, whatever the configuration names
		GIT_TERMINAL_PROMPT: "0",
		GIT_ASKPASS: "",
		GCM_INTERACTIVE: "never",
		GIT_HTTP_LOW_SPEED_LIMIT: "1",
		GIT_HTTP_LOW_SPEED_TIME: String(stallSeconds),
		GIT_OPTIONAL_LOCKS: "0",
		// no replaced objects or grafted parents: the reviewed work is what is merged
		GIT_NO_REPLACE_OBJECTS: "1",
		GIT_GRAFT_FILE: "/dev/null/none",
		GIT_EDITOR: ":",
		GIT_SEQUENCE_EDITOR: ":",
		GIT_PAGER: "cat",
		SSH_ASKPASS_REQUIRE: "never",
	};
}
