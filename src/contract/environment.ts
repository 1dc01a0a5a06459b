// The variables of the daemon's environment that agents and projects' commands see, and the `env:` lists that extend
// them. `docs/user/environment.md` shows the same table; a test compares the two.
import { z } from "zod";

export interface PassedVariables {
	/** `*` stands for the rest of a name */
	names: readonly string[];
	what: string;
	/** whether a process in a sandbox sees them too */
	sandbox: boolean;
}

const names = (text: string): readonly string[] => text.trim().split(/\s+/);

/** The first row that has a name counts. */
export const passedVariables: readonly PassedVariables[] = [
	{ names: names("PATH HOME USER LOGNAME SHELL"), what: "you and your programs", sandbox: true },
	{ names: names("LANG LANGUAGE LC_* TZ"), what: "language and time zone", sandbox: true },
	{ names: names("TMPDIR"), what: "temporary files; a sandbox has its own `/tmp`", sandbox: false },
	{
		names: names("XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS XDG_STATE_HOME XDG_CACHE_HOME"),
		what: "where programs keep settings and data; a sandbox has its own cache",
		sandbox: true,
	},
	{ names: names("XDG_*"), what: "the desktop session", sandbox: false },
	{
		names: names("HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy"),
		what: "proxies",
		sandbox: true,
	},
	{
		names: names("SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS"),
		what: "certificate authorities",
		sandbox: true,
	},
	{ names: names("NODE_COMPILE_CACHE"), what: "Node's cache of compiled code", sandbox: true },
	{
		names: names("CLAUDE_CONFIG_DIR CODEX_HOME GEMINI_CLI_HOME OPENCODE_CONFIG_DIR"),
		what: "where the vendors' programs keep settings and login",
		sandbox: true,
	},
	{ names: names("SSH_AUTH_SOCK"), what: "your ssh agent", sandbox: false },
	{
		names: names("GH_TOKEN GITHUB_TOKEN GH_ENTERPRISE_TOKEN GITHUB_ENTERPRISE_TOKEN GITLAB_TOKEN"),
		what: "the tokens of `gh` and `glab`",
		sandbox: false,
	},
	{ names: names("GH_HOST GH_REPO GITLAB_HOST"), what: "the servers of `gh` and `glab`", sandbox: true },
	{
		names: names("GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOTOOLCHAIN GOPROXY GOPRIVATE GONOPROXY GONOSUMDB GOSUMDB"),
		what: "Go",
		sandbox: true,
	},
	{ names: names("CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN"), what: "Rust", sandbox: true },
	{
		names: names("JAVA_HOME MAVEN_HOME M2_HOME GRADLE_HOME GRADLE_USER_HOME SDKMAN_DIR KOTLIN_HOME SCALA_HOME"),
		what: "Java, Kotlin and Scala",
		sandbox: true,
	},
	{ names: names("ANDROID_HOME ANDROID_SDK_ROOT ANDROID_NDK_HOME"), what: "Android", sandbox: true },
	{
		names: names(
			"NVM_DIR NVM_BIN FNM_DIR FNM_MULTISHELL_PATH VOLTA_HOME N_PREFIX PNPM_HOME BUN_INSTALL DENO_DIR COREPACK_HOME",
		),
		what: "Node, Bun and Deno",
		sandbox: true,
	},
	{
		names: names(
			"PYENV_ROOT PYENV_VERSION VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV CONDA_EXE POETRY_HOME PIPX_HOME UV_CACHE_DIR",
		),
		what: "Python",
		sandbox: true,
	},
	{ names: names("RBENV_ROOT RBENV_VERSION GEM_HOME GEM_PATH BUNDLE_PATH"), what: "Ruby", sandbox: true },
	{ names: names("COMPOSER_HOME"), what: "PHP", sandbox: true },
	{ names: names("DOTNET_ROOT DOTNET_CLI_HOME NUGET_PACKAGES"), what: ".NET", sandbox: true },
	{ names: names("ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR"), what: "asdf and mise", sandbox: true },
];

const rowOf = (name: string): PassedVariables | undefined =>
	passedVariables.find(({ names: all }) =>
		all.some((each) => (each.endsWith("*") ? name.startsWith(each.slice(0, -1)) : name === each)),
	);

export const isPassed = (name: string): boolean => rowOf(name) !== undefined;

/** Whether a sandbox keeps it out, unless a person's `env:` list names it. */
export const isKeptOut = (name: string): boolean => rowOf(name)?.sandbox === false;

const named = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** A variable's name, as a shell has it. */
export const VariableName = z.string().max(200).regex(named, "a variable's name has letters, digits and _");

/** `NAME` passes the daemon's variable on, `NAME=value` sets one. Brood's own variables are an agent's identity. */
const EnvEntry = z
	.string()
	.max(10_000)
	.regex(/^[A-Za-z_][A-Za-z0-9_]*(=[^\0\n\r]*)?$/, "write NAME, or NAME=value on one line")
	.refine((entry) => !variableName(entry).startsWith("BROOD_"), "variables that begin with BROOD_ are Brood's own");

export const EnvList = z.array(EnvEntry).max(200);

/**
 * Names that load code into programs, redirect them, or name a credential. A repository may not set or pass them on,
 * even if they are approved: they can only be set in a file of the home.
 */
const notForRepositories = new RegExp(
	`^(?:${[
		...[
			"PATH",
			"HOME",
			"SHELL",
			"USER",
			"LOGNAME",
			"IFS",
			"ENV",
			"BASH.*",
			"ZDOTDIR",
			"PROMPT_COMMAND",
			"PS4",
			"TMPDIR",
		],
		...["LD_.*", "DYLD_.*", "GCONV_PATH", "LOCPATH", "NLSPATH", "MALLOC_.*", "GLIBC_.*", "OPENSSL_.*", "HOSTALIASES"],
		...["LUA_.*", "PHP.*", "COMPOSER_.*", "DOTNET_.*", "CORECLR_.*", "COMPLUS_.*", "NUGET_.*", "ERL_.*", "ELIXIR_.*"],
		...["R_.*", "JULIA_.*", "GUILE_.*", "TCL.*", "NVM_.*", "FNM_.*", "VOLTA_.*", "ASDF_.*", "MISE_.*", "PYENV_.*"],
		...["RBENV_.*", "RUSTUP_.*", "SDKMAN_.*", "ANDROID_.*", "PKG_CONFIG.*", ".*_RSH", "SVN_SSH", "VIMINIT", "EXINIT"],
		...["NODE_.*", "npm_.*", "NPM_.*", "YARN_.*", "PNPM_.*", "BUN_.*", "DENO_.*", "COREPACK_.*"],
		...["PYTHON.*", "PIP_.*", "UV_.*", "VIRTUAL_ENV", "CONDA_.*", "PERL.*", "RUBY.*", "GEM_.*", "BUNDLE_.*"],
		...["JAVA_.*", "_JAVA_OPTIONS", "JDK_.*", "CLASSPATH", "MAVEN_.*", "GRADLE_.*", "SBT_.*"],
		...["GO[A-Z].*", "CGO_.*", "CARGO_.*", "RUST.*", "CC", "CXX", "LD", "AR", "MAKEFLAGS", "MAKEFILES", "CMAKE_.*"],
		...[
			"GIT_.*",
			"SSH_.*",
			"GH_.*",
			"GITHUB_.*",
			"GITLAB_.*",
			"GPG_.*",
			"GNUPGHOME",
			"EDITOR",
			"VISUAL",
			"PAGER",
			"LESS.*",
		],
		...["BROWSER", ".*_ASKPASS", "SUDO_.*", "DOCKER_.*", "CONTAINER_.*", "KUBECONFIG", "DBUS_.*", "XDG_.*", "DISPLAY"],
		...[".*_PROXY", "SSL_.*", "CURL_.*", "REQUESTS_.*", ".*_CA_BUNDLE", "AWS_.*", "AZURE_.*", "GOOGLE_.*", "GCLOUD_.*"],
		...[
			"ANTHROPIC_.*",
			"CLAUDE_.*",
			"OPENAI_.*",
			"CODEX_.*",
			"GEMINI_.*",
			"OPENCODE_.*",
			"COMPATIBLE_.*",
			"OPENROUTER_.*",
		],
	].join("|")})$`,
	"i",
);

/** A value from outside under such a name is a secret of the person's. A repository may set its own. */
const credential = /TOKEN|SECRET|PASS(WORD|WD|PHRASE)|CREDENTIAL|API_?KEY|(^|_)(KEY|PASS|PAT|PW|AUTH|DSN)($|_)/i;

export const RepositoryEnvList = z
	.array(
		EnvEntry.refine(
			(entry) => !notForRepositories.test(variableName(entry)) && (entry.includes("=") || !credential.test(entry)),
			"a repository may not name this variable; write it into config.yaml of the home",
		),
	)
	.max(100);

export const variableName = (entry: string): string => entry.split("=", 1)[0] ?? "";

/** Later entries replace earlier ones of the same name. */
export const mergedEnv = (...lists: readonly (readonly string[] | undefined)[]): string[] => [
	...new Map(lists.flatMap((list) => list ?? []).map((entry) => [variableName(entry), entry])).values(),
];

/** The variables of a list. A name that is not set `from` outside is left out. */
export const variablesOf = (
	entries: readonly string[],
	from: Readonly<Record<string, string | undefined>>,
): Record<string, string> =>
	Object.fromEntries(
		entries.flatMap((entry) => {
			const name = variableName(entry);
			const value = entry.length > name.length ? entry.slice(name.length + 1) : from[name];
			return value === undefined ? [] : [[name, value]];
		}),
	);

/** How a list is shown: a value may be a secret. */
export const withoutValues = (entries: readonly string[]): string[] =>
	entries.map((entry) => (entry.includes("=") ? `${variableName(entry)}=…` : entry));
