import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { allVendors, vendors } from "#adapters/driver/vendors/vendors.ts";
import {
	EnvList,
	isKeptOut,
	isPassed,
	mergedEnv,
	passedVariables,
	RepositoryEnvList,
	variablesOf,
	withoutValues,
} from "#contract/environment.ts";

const page = readFileSync("docs/user/environment.md", "utf8");
const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

test("the page has exactly the variables that agents see, and says which of them a sandbox keeps out", () => {
	const [, table = ""] = /\| variables \| what for \| in a sandbox \|\n\|[-| ]+\|\n((?:\|.*\n)+)/.exec(page) ?? [];
	expect(table.trimEnd().split("\n")).toEqual(
		passedVariables.map(({ names, what, sandbox }) => `| ${code(names)} | ${what} | ${sandbox ? "yes" : "no"} |`),
	);
	expect(passedVariables.length).toBeGreaterThan(15);
	for (const { homeVariable } of allVendors) expect(isPassed(homeVariable)).toBe(true);
});

test("the page has exactly the keys that are looked for, by agent type", () => {
	const [, table = ""] = /\| type \| keys \| passed along with them \|\n\|[-| ]+\|\n((?:\|.*\n)+)/.exec(page) ?? [];
	expect(table.trimEnd().split("\n")).toEqual(
		Object.entries(vendors).map(
			([type, { login }]) =>
				`| \`${type}\` | ${code(login.keys)} | ${login.alongside.length === 0 ? "" : `${code(login.alongside)} `}|`,
		),
	);
	// no key of a model is passed to every agent
	for (const { login } of allVendors) for (const key of login.keys) expect([key, isPassed(key)]).toEqual([key, false]);
});

test.each([
	["PATH", true, false],
	["LC_ALL", true, false],
	["GOPATH", true, false],
	["XDG_CONFIG_HOME", true, false],
	["XDG_RUNTIME_DIR", true, true],
	["SSH_AUTH_SOCK", true, true],
	["GH_TOKEN", true, true],
	["AWS_SECRET_ACCESS_KEY", false, false],
	["NODE_OPTIONS", false, false],
	["LD_PRELOAD", false, false],
	["PATHS", false, false],
])("%s: passed %s, kept out of a sandbox %s", (name, passed, keptOut) => {
	expect([isPassed(name), isKeptOut(name)]).toEqual([passed, keptOut]);
});

test.each([
	..."PATH HOME LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONSTARTUP".split(
		" ",
	),
	..."GIT_SSH_COMMAND GIT_DIR GIT_CONFIG_COUNT git_ssh_command SSH_AUTH_SOCK BASH_ENV ENV PERL5OPT RUBYOPT".split(" "),
	..."JAVA_TOOL_OPTIONS _JAVA_OPTIONS GOFLAGS CARGO_HOME RUSTC_WRAPPER npm_config_script_shell EDITOR".split(" "),
	..."ANTHROPIC_BASE_URL ANTHROPIC_API_KEY OPENAI_API_KEY CLAUDE_CONFIG_DIR GH_TOKEN GITHUB_TOKEN AWS_PROFILE".split(
		" ",
	),
	..."HTTPS_PROXY https_proxy SSL_CERT_FILE REQUESTS_CA_BUNDLE DOCKER_HOST XDG_CONFIG_HOME BROOD_TOKEN".split(" "),
	..."OPENSSL_CONF LUA_INIT PHP_INI_SCAN_DIR DOTNET_STARTUP_HOOKS CORECLR_PROFILER_PATH ERL_AFLAGS RSYNC_RSH".split(
		" ",
	),
])("a repository can neither set nor pass on %s", (name) => {
	expect(RepositoryEnvList.safeParse([name]).success).toBe(false);
	expect(RepositoryEnvList.safeParse([`${name}=x`]).success).toBe(false);
	// the control
	expect(RepositoryEnvList.safeParse(["CI", "NODE=x", "DATABASE_URL=x"]).success).toBe(true);
});

test.each(
	"HF_TOKEN STRIPE_SECRET_KEY DB_PASSWORD PGPASSWORD SENTRY_DSN MY_API_KEY APIKEY DEPLOY_KEY ADO_PAT BASIC_AUTH".split(
		" ",
	),
)("a repository may set %s, and does not get the person's", (name) => {
	expect(RepositoryEnvList.safeParse([name]).success).toBe(false);
	// the controls: values of the repository's own, and names that are not credentials
	expect(RepositoryEnvList.safeParse([`${name}=test`]).success).toBe(true);
	expect(RepositoryEnvList.safeParse(["DATABASE_URL", "KEYBOARD", "PATIENCE", "COMPASS_HOME"]).success).toBe(true);
});

test("a person's list may name all but Brood's own, on one line each", () => {
	expect(EnvList.safeParse(["PATH=/x", "NODE_OPTIONS", "GIT_AUTHOR_NAME=me", "A="]).success).toBe(true);
	for (const entry of ["BROOD_TOKEN", "BROOD_AGENT=x", "", "=x", "1A", "A B", "A=1\nB=2", "A=\0", "-A", "A-B=c"])
		expect([entry, EnvList.safeParse([entry]).success]).toEqual([entry, false]);
});

test("the later list counts, a name takes the outer value, a value may have = in it, and none is shown", () => {
	const merged = mergedEnv(["A=1", "B", "C=x"], undefined, ["A", "C=y=z"]);
	expect(merged).toEqual(["A", "B", "C=y=z"]);
	expect(variablesOf(merged, { A: "outer", D: "no" })).toEqual({ A: "outer", C: "y=z" });
	expect(withoutValues(merged)).toEqual(["A", "B", "C=…"]);
});
