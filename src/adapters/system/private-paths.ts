// Usual paths of credentials and histories, which every sandbox hides.
import { existsSync } from "node:fs";
import path from "node:path";

type Variables = Readonly<Record<string, string | undefined>>;

/** No name has a space in it. */
const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Keys, logins and tokens, below a home. */
const secrets = words(`
	.ssh .gnupg .aws .azure .kube .docker .config/gcloud .config/gh .config/glab-cli .config/op .password-store .netrc
	.git-credentials .config/git/credentials .gitcookies .hgrc .subversion/auth .cvspass .vault-token .config/hub
	.terraform.d .terraformrc .config/containers .local/share/keyrings .local/share/kwalletd .pki .config/sops
	.config/age .config/rclone .rclone.conf .s3cfg .boto .config/doctl .config/hcloud .oci .bluemix .databrickscfg
	.snowsql .pulumi .config/heroku .fly .config/netlify .vercel .local/share/com.vercel.cli .wrangler
	.config/.wrangler .config/stripe .config/ngrok .ngrok2 .railway .supabase .kaggle .config/kaggle .huggingface
	.cache/huggingface/token .jupyter .pgpass .my.cnf .mylogin.cnf .local/share/DBeaverData .config/filezilla
	.config/remmina .local/share/remmina .vnc .authinfo .authinfo.gpg .msmtprc .mbsyncrc .offlineimaprc .fetchmailrc
	.muttrc .purple .irssi .weechat .bitcoin .ethereum .electrum .bitmonero .config/solana .config/Bitwarden
	.config/1Password .config/keepassxc
`);

/** Where package managers keep logins to registries. */
const registries = words(`
	.npmrc .yarnrc.yml .bunfig.toml .pypirc .pip .config/pip .config/pypoetry/auth.toml .local/share/uv/credentials
	.cargo/credentials.toml .cargo/credentials .gem/credentials .local/share/gem/credentials .bundle/config
	.composer/auth.json .config/composer/auth.json .m2/settings.xml .m2/settings-security.xml
	.gradle/gradle.properties .ivy2/.credentials .sbt/.credentials .nuget/NuGet/NuGet.Config
	.config/NuGet/NuGet.Config
`);

/** Browsers, mail and chat. */
const profiles = words(`
	.mozilla .librewolf .config/google-chrome .config/chromium .config/BraveSoftware .config/microsoft-edge
	.config/vivaldi .config/opera .var/app snap/firefox snap/chromium .thunderbird .local/share/evolution
	.config/evolution .config/Signal .config/Slack .config/discord .local/share/TelegramDesktop .config/Code
	.config/Cursor .config/JetBrains
`);

/** Shells, databases and editors; commands may contain secrets. */
const histories = words(`
	.zsh_sessions .bash_sessions .zhistory .history .local/share/fish/fish_history .lesshst .viminfo
	.local/share/nvim/shada .local/state/nvim/shada .wget-hsts .local/share/recently-used.xbel .local/share/atuin
	.local/state/bash .local/state/zsh
`);

/** `.bash_history`, `.psql_history` and others. */
export const isHistory = (name: string): boolean => /^\.[\w.-]*_history$/.test(name);

/** Sockets of programs that act for the user or for root, outside `/run` and `/tmp`, which are empty inside. */
const sockets = words(".colima .lima .orbstack .1password .local/share/containers/podman .config/systemd/user");
const machineSockets = words(`
	/var/snap/lxd/common/lxd/unix.socket /var/snap/lxd/common/lxd-user/unix.socket /var/lib/lxd/unix.socket
	/var/lib/incus/unix.socket /var/lib/incus/unix.socket.user /var/lib/mysql/mysql.sock /var/snap/docker/common/run
	/nix/var/nix/daemon-socket/socket
`);
/** Credentials for the desktop, whose sockets may be abstract. */
const desktop = [".Xauthority", ".ICEauthority", ".config/pulse"];

/** Logins and sessions of agents that Brood does not run. For those that it runs see driver/vendors. */
const otherVendors = words(`
	.copilot .config/github-copilot .cursor .codeium .continue .qwen .config/goose .local/share/goose .config/amp
`);

/** Variables with another or an additional such path. Some hold several. */
const named = words(`
	GNUPGHOME KUBECONFIG AWS_SHARED_CREDENTIALS_FILE AWS_CONFIG_FILE AZURE_CONFIG_DIR CLOUDSDK_CONFIG
	GOOGLE_APPLICATION_CREDENTIALS DOCKER_CONFIG GH_CONFIG_DIR GLAB_CONFIG_DIR NETRC NPM_CONFIG_USERCONFIG
	npm_config_userconfig PIP_CONFIG_FILE PGPASSFILE PGSERVICEFILE PASSWORD_STORE_DIR SOPS_AGE_KEY_FILE RCLONE_CONFIG
	BOTO_CONFIG TF_CLI_CONFIG_FILE HISTFILE XAUTHORITY ICEAUTHORITY
`);
/** Variables for a folder, and the private files in it. */
const rooted: readonly (readonly [string, readonly string[]])[] = [
	["CARGO_HOME", ["credentials.toml", "credentials"]],
	["GRADLE_USER_HOME", ["gradle.properties"]],
	["COMPOSER_HOME", ["auth.json"]],
	["HF_HOME", ["token"]],
];
/** Folders of the home that a variable can move. */
const standard: readonly (readonly [string, string])[] = [
	["XDG_CONFIG_HOME", ".config/"],
	["XDG_DATA_HOME", ".local/share/"],
	["XDG_STATE_HOME", ".local/state/"],
	["XDG_CACHE_HOME", ".cache/"],
];

/** Never passed into a sandbox. */
export const desktopVariables = words(`
	TMPDIR SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO XDG_RUNTIME_DIR XDG_SESSION_ID XDG_SESSION_TYPE XDG_VTNR
	XDG_SEAT DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS WAYLAND_DISPLAY DISPLAY XAUTHORITY DOCKER_HOST
	CONTAINER_HOST BUILDKIT_HOST PULSE_SERVER TMUX STY KRB5CCNAME VSCODE_IPC_HOOK_CLI
`);

/** All private paths for these variables, existing or not. */
export function privatePaths(seen: Variables): string[] {
	const locations = [...secrets, ...registries, ...profiles, ...histories, ...sockets, ...desktop, ...otherVendors];
	return [
		...new Set([
			...below(locations, seen),
			...machineSockets.filter((location) => existsSync(path.dirname(location))),
			...namedBy(seen),
		]),
	];
}

function below(names: readonly string[], seen: Variables): string[] {
	const home = seen["HOME"];
	const usual = isLocation(home) ? names.map((name) => path.join(home, name)) : [];
	const moved = standard.flatMap(([variable, prefix]) => {
		const folder = seen[variable];
		return isLocation(folder)
			? names.filter((name) => name.startsWith(prefix)).map((name) => path.join(folder, name.slice(prefix.length)))
			: [];
	});
	return [...usual, ...moved];
}

function namedBy(seen: Variables): string[] {
	const whole = named.flatMap((variable) => (seen[variable] ?? "").split(":")).filter(isLocation);
	const parts = rooted.flatMap(([variable, names]) => {
		const folder = seen[variable];
		return isLocation(folder) ? names.map((name) => path.join(folder, name)) : [];
	});
	return [...whole, ...parts];
}

/** Not the root folder, and not `/dev/null`, which means that there is no such file. */
const isLocation = (location: string | undefined): location is string =>
	location !== undefined &&
	path.isAbsolute(location) &&
	path.resolve(location) !== "/" &&
	!/^\/(dev|proc|sys)(\/|$)/.test(path.resolve(location));
