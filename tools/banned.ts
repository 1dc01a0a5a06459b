// Banned calls, each with its replacement. Files that may make one are named.
interface Ban {
	pattern: RegExp;
	name: string;
	instead: string;
	/** only in files whose path begins with one of these; everywhere if absent */
	where?: readonly string[];
	except?: readonly string[];
	/** match the whole text, not line by line */
	across?: true;
}

const tests = ["test/", "bench/", "tools/"];
const pure = ["src/contract/", "src/domain/", "src/views/", "src/engine/"];

const bans: readonly Ban[] = [
	{
		pattern: /\bDate\.now\(/,
		name: "Date.now",
		instead: "time arrives with the command (Clock port)",
		except: ["src/adapters/system/clock.ts", ...tests],
	},
	{
		pattern: /\bnew Date\(\)/,
		name: "new Date()",
		instead: "time arrives with the command (Clock port)",
		except: tests,
	},
	{ pattern: /\bMath\.random\(/, name: "Math.random", instead: "the Ids port; in tests a seed" },
	{
		pattern: /\brandom(UUID|Bytes)\(/,
		name: "node:crypto randomness",
		instead: "the Ids port",
		except: [
			"src/adapters/system/ids.ts",
			"src/surfaces/cli/act.ts",
			"src/surfaces/cli/person-subcommands.ts",
			"src/surfaces/cli/daemon-request.ts",
			"src/surfaces/web/store/connection.ts",
			...tests,
		],
	},
	{
		pattern: /\bconsole\./,
		name: "console",
		instead: "the log port; surfaces print",
		where: ["src/"],
		except: ["src/surfaces/"],
	},
	{
		pattern: /\bprocess\.std(out|err)\.write\(|\bconsole\./,
		name: "printing",
		instead: "a function of surfaces/cli/print.ts, which makes visible what a terminal would obey",
		where: ["src/surfaces/"],
		// the parser's own errors, before anything else is loaded
		except: [
			...["src/surfaces/cli/print.ts", "src/surfaces/cli/program.ts"],
			// the frames of the screen, whose rows were made visible
			"src/surfaces/tui/pi/own-terminal.ts",
		],
	},
	{
		pattern: /\bprocess\.env\b/,
		name: "process.env",
		instead: "options from the composition root",
		where: ["src/"],
		except: ["src/main.ts", "src/programs/", "src/agents/", "src/surfaces/cli/"],
	},
	{
		pattern: /\bprocess\.exit\(/,
		name: "process.exit",
		instead: "process.exitCode, or `engine.failed`",
		where: ["src/"],
		except: ["src/programs/daemon.ts", "src/agents/", "src/surfaces/cli/"],
	},
	{
		pattern: /from "node:child_process"/,
		name: "child processes",
		instead: "a driver, or git()",
		where: ["src/"],
		// a daemon that starts the next one, and one of a checkout that builds the dashboard
		except: ["src/adapters/", "src/agents/", "src/surfaces/cli/", "src/daemon/upgrade.ts", "src/local/built-web.ts"],
	},
	{
		pattern: /\b(spawn|spawnSync|exec|execSync|execFile|execFileSync)\)?\(\s*["'`]git\b/,
		name: "running git",
		instead: "git() of adapters/git/run/git.ts, which distrusts the repository",
		where: ["src/"],
		// `doctor` only runs `git --version`, `demo` makes a repository of its own
		except: ["src/adapters/git/run/git.ts", "src/surfaces/cli/demo.ts", "src/surfaces/cli/doctor.ts"],
	},
	{
		pattern:
			/"reset",.*"--(hard|merge|keep)"|"clean",\s*"-|"worktree",\s*"(remove|prune)"|"branch",.*"(-[dDMf]|--delete|--force)"|\["stash"|"(checkout|switch|checkout-index)",.*"(-f|--force|--discard-changes)"|"update-ref",\s*"-d"|"push",.*"(-f|--force)|\["gc"|"reflog",\s*"(expire|delete)"/,
		name: "a git verb that destroys",
		instead: "a function of adapters/git/snapshot/destroy.ts, which takes a snapshot first",
		where: ["src/"],
		// the second takes back only what git itself has just written, where `--no-overwrite-ignore` left nothing in the
		// way
		except: ["src/adapters/git/snapshot/destroy.ts", "src/adapters/git/verbs/put-back.ts"],
	},
	{
		pattern: /\brm(Sync)?\(.*recursive/,
		name: "removing a folder beside git",
		instead: "the trash of adapters/git/snapshot/destroy.ts",
		where: ["src/adapters/git/"],
		// their own temporary folders
		except: [
			"src/adapters/git/snapshot/destroy.ts",
			"src/adapters/git/workspace/bundle.ts",
			"src/adapters/git/snapshot/shadow.ts",
			"src/adapters/git/tree/tree.ts",
		],
	},
	{ pattern: /\bJSON\.parse\(/, name: "JSON.parse", instead: "a schema of the contract", where: pure },
	{
		pattern: /order by (at|created_at|time)\b|orderBy\("(at|createdAt)"/i,
		name: "order by time",
		instead: "the event id: clocks order nothing",
		where: ["src/"],
	},
	{
		pattern: /\b(setTimeout|sleep|pause)\((?:.*,\s*)?\d{2,}\)/,
		name: "sleeping in a test",
		instead: "drain, a named signal or a fake clock",
		where: ["test/"],
		except: ["test/programs/", "test/make/"],
	},
	{
		pattern: /\.(catch\(|then\([^;]*,|on(ce)?\("error",)\s*(\(\w*\)|_\w*)\s*=>\s*(\{\s*\}|undefined|void 0)\s*\)/,
		name: "swallowing a failure",
		instead:
			"caught(log, …) of engine/ports/log.ts if it should not happen, expected(why) of contract/log.ts if it may",
		where: ["src/"],
		across: true,
	},
	{
		pattern: /\bcatch\s*(\(\w+\)\s*)?\{\s*\}/,
		name: "an empty catch",
		instead: "a comment that says why nothing has to be done, or the log",
		where: ["src/"],
		across: true,
	},
	{
		pattern: /\b(git -C|git clone|chmod [0-7]+|mkdir -p|project add|`cat) \$\{(?!shellWord\()|replaceAll\("'"/,
		name: "a path in a command",
		instead: "shellWord of contract/shell-word.ts: a path may have spaces",
		where: ["src/"],
		except: ["src/contract/shell-word.ts"],
	},
	{ pattern: /\b(pkill|killall)\b/, name: "pkill", instead: "the pid of a process that we started" },
	{ pattern: /(\/\/|\/\*).*\b(TODO|FIXME|XXX)\b/, name: "a note to do it later", instead: "do it, or file an issue" },
];

const own = ["tools/banned.ts", "test/tidy.test.ts"];

export function bannedIn(file: string, text: string): string[] {
	if (own.includes(file)) return [];
	const lines = text.split("\n").filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line));
	const whole = text.replaceAll(/^\s*(\*|\/\*).*$/gm, "");
	return bans
		.filter(
			({ where, except }) =>
				(where === undefined || where.some((start) => file.startsWith(start))) &&
				!except?.some((start) => file.startsWith(start)),
		)
		.filter(({ pattern, across }) => (across === true ? pattern.test(whole) : lines.some((line) => pattern.test(line))))
		.map(({ name, instead }) => `${file}: ${name} → ${instead}`);
}
