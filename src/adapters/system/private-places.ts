// Where people usually keep credentials and histories. Hidden in every sandbox.
import { readdirSync } from "node:fs";
import path from "node:path";

/** Keys, logins and tokens, below a home. */
const secrets = [
	...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config/gcloud", ".config/gh", ".config/glab-cli", ".config/op", ".password-store"],
	...[".netrc", ".git-credentials", ".config/git/credentials", ".npmrc", ".pypirc", ".cargo/credentials.toml", ".cargo/credentials", ".vault-token"],
	...[".config/hub", ".terraform.d", ".config/containers", ".local/share/keyrings", ".config/rclone", ".mozilla", ".config/google-chrome", ".config/chromium"],
];

/** What was typed and looked up: commands with secrets in them, databases, editors. */
const histories = [
	...[".bash_history", ".zsh_history", ".zhistory", ".history", ".sh_history", ".local/share/fish/fish_history", ".python_history", ".node_repl_history"],
	...[".psql_history", ".mysql_history", ".sqlite_history", ".rediscli_history", ".lesshst", ".viminfo", ".wget-hsts", ".local/share/recently-used.xbel"],
];

/** Sockets of programs that act for the user, in places that the kernel's own list (`/run`, `/tmp`) does not cover. */
const sockets = [".docker/run", ".colima", ".lima", ".orbstack", ".gnupg", ".1password", ".local/share/containers/podman", ".config/systemd/user"];
/** What lets a program speak to the desktop, whose sockets may have no place in the file system. */
const desktop = [".Xauthority", ".ICEauthority", ".config/pulse"];

/** Never passed into a sandbox. */
export const leadsOut: readonly string[] = [
	...["TMPDIR", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "XDG_RUNTIME_DIR", "XDG_SESSION_ID", "XDG_SESSION_TYPE", "XDG_VTNR", "XDG_SEAT"],
	...["DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "WAYLAND_DISPLAY", "DISPLAY", "XAUTHORITY", "DOCKER_HOST", "CONTAINER_HOST", "BUILDKIT_HOST"],
	...["PULSE_SERVER", "TMUX", "STY", "KRB5CCNAME", "VSCODE_IPC_HOOK_CLI"],
];

/** All of it, below each of these homes. */
export function privatePlaces(homes: readonly string[]): string[] {
	return [...new Set(homes)].flatMap((home) => [...secrets, ...histories, ...sockets, ...desktop, ...othersIn(home)].map((name) => path.join(home, name)));
}

/** Shells call theirs by many names. */
function othersIn(home: string): string[] {
	try {
		return readdirSync(home).filter((name) => /^\.[\w.-]*_history$|^\.zsh_sessions$|^\.bash_sessions$/.test(name));
	} catch {
		return [];
	}
}
