// What a release consists of: each program's entry, and how they are bundled. Tests run the same bundle.
//
// The command line is CommonJS: Node loads it in half the time that it needs for modules. All other programs share
// chunks.
import { type OutputOptions, type Plugin, rolldown } from "rolldown";

/** The command line. */
const commandLine = { cli: "src/surfaces/cli/bin.ts" };

const programs = {
	daemon: "src/programs/daemon.ts",
	"store-thread": "src/programs/store-thread.ts",
	"sandbox-worker": "src/programs/sandbox-worker.ts",
	uninstall: "src/programs/uninstall.ts",
	scripted: "src/agents/scripted.ts",
	shell: "src/agents/shell.ts",
	llm: "src/agents/llm.ts",
};

/**
 * What most commands load besides their own code. One file, because each further file takes a third of a millisecond.
 */
const shared = [
	"surfaces/cli/(act|agent-names|connect|daemon-request|print|progress|socket-request|style)",
	"client/(client|route-paths)",
	"contract/(full-name|home-rule|log|name-rule|project-slug|proof|refusal|version|visible)",
	"views/(paint|state-style)",
	"(local/lock-holders|version)",
];
const isShared = new RegExp(`/src/(${shared.join("|")})\\.ts$`);

interface Bundled {
	fileName: string;
	code: string;
}

/** All programs of a release, and `more` beside them. */
export async function bundleAll({
	minify,
	more = {},
}: {
	minify: boolean;
	more?: Record<string, string>;
}): Promise<Bundled[]> {
	const all = await Promise.all([
		bundle(commandLine, {
			format: "cjs",
			minify,
			entryFileNames: "[name].cjs",
			chunkFileNames: "cli/[name]-[hash].cjs",
			codeSplitting: { groups: [{ name: "common", test: isShared }] },
		}),
		bundle({ ...programs, ...more }, { format: "esm", minify, entryFileNames: "[name].mjs" }),
	]);
	return all.flat();
}

async function bundle(input: Record<string, string>, options: OutputOptions): Promise<Bundled[]> {
	await using build = await rolldown({
		input,
		platform: "node",
		external: ["pg-native", /^vitest/],
		plugins: [withoutChildProcess],
	});
	const { output } = await build.generate({ sourcemap: false, chunkFileNames: "[name]-[hash].mjs", ...options });
	return output.filter((each) => each.type === "chunk").map(({ fileName, code }) => ({ fileName, code: ascii(code) }));
}

/**
 * V8 keeps a program's text as long as the program runs, and with a single character beyond Latin-1 in two bytes for
 * each character. Minified code has such characters in texts and patterns only, where an escape means the same.
 */
const ascii = (code: string): string =>
	code.replace(/[\u0100-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

/**
 * The parser loads `node:child_process` for commands that are programs of their own. We have none, and it costs 2 ms.
 */
const withoutChildProcess: Plugin = {
	name: "without-child-process",
	transform: {
		filter: { id: /node_modules\/commander\/lib\/command\.js$/ },
		handler(code) {
			const less = code.replace(/^import childProcess from ['"]node:child_process['"];$/m, "const childProcess = {};");
			if (less === code) throw new Error("the parser no longer imports node:child_process; remove this plugin");
			return less;
		},
	},
};
