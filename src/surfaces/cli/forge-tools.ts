// The forges' own command-line tools, which have the user's login: `gh` for GitHub, `glab` for GitLab. Titles and
// bodies are written by agents, so they go through standard input, never as arguments, and the tool runs in no
// repository.
import { spawn } from "node:child_process";
import { Refused } from "#client/client.ts";
import { expected } from "#contract/log.ts";
import type { Forge, PullRequest } from "#contract/pull-request.ts";
import { refuse } from "#contract/refusal.ts";

const timeoutMs = 60_000;

interface ToolResult {
	/** null if it was ended by a signal */
	code: number | null;
	out: string;
	errors: string;
}

/** A pull request that is about to be opened on a known server. */
export type OnServer = PullRequest & { host: string; repository: string; target: string };

interface Calls {
	/** for the page of open pull requests of the branch */
	find: readonly string[];
	open: readonly string[];
	body: object;
	/** the field of the answer with the page's address */
	field: string;
}

interface Tool {
	program: "gh" | "glab";
	calls(request: OnServer, draft: boolean): Calls;
}

const github: Tool = {
	program: "gh",
	calls({ host, repository, target, branch, base, title, body }, draft) {
		const head = `${repository.split("/")[0]}:${branch}`;
		const pulls = `repos/${target}/pulls`;
		const api = ["api", "--hostname", host];
		return {
			find: [...api, `${pulls}?state=open&head=${encodeURIComponent(head)}&base=${encodeURIComponent(base)}`],
			open: [...api, "--method", "POST", pulls, "--input", "-"],
			body: { title, body, head, base, draft },
			field: "html_url",
		};
	},
};

const gitlab: Tool = {
	program: "glab",
	calls({ host, repository, branch, base, title, body }, draft) {
		const requests = `projects/${encodeURIComponent(repository)}/merge_requests`;
		const api = ["api", "--hostname", host];
		const query = `state=opened&source_branch=${encodeURIComponent(branch)}&target_branch=${encodeURIComponent(base)}`;
		return {
			find: [...api, `${requests}?${query}`],
			open: [...api, "--method", "POST", "--header", "Content-Type: application/json", requests, "--input", "-"],
			body: { title: draft ? `Draft: ${title}` : title, description: body, source_branch: branch, target_branch: base },
			field: "web_url",
		};
	},
};

const tools: Partial<Record<Forge, Tool>> = { github, gitlab };

/**
 * The tool for this server, if it is installed. Where the server's name says nothing, the one that is logged in there.
 * Throws if the tool of a known forge is not logged in.
 */
export async function toolFor({ forge, host }: OnServer, name: string): Promise<{ tool: Tool; forge: Forge } | null> {
	if (forge === null) {
		for (const [kind, tool] of [
			["github", github],
			["gitlab", gitlab],
		] as const)
			if ((await loggedIn(tool, host)) === true) return { tool, forge: kind };
		return null;
	}
	const tool = tools[forge];
	const login = tool === undefined ? null : await loggedIn(tool, host);
	if (tool === undefined || login === null) return null;
	if (login) return { tool, forge };
	throw new Refused(
		refuse("CONFLICT", `${tool.program} is not logged in to ${host}. Nothing was pushed.`, {
			details: { program: tool.program, host },
			suggestions: [`${tool.program} auth login --hostname ${host}`, `brood pr ${name} --link`],
		}),
	);
}

/** Null if the program is not installed. */
async function loggedIn({ program }: Tool, host: string): Promise<boolean | null> {
	const ran = await run({ program, host }, ["auth", "status", "--hostname", host]);
	return ran === null ? null : ran.code === 0;
}

/** The address of the pull request, and whether it was there already. */
export async function openPullRequest(
	{ program, calls }: Tool,
	request: OnServer,
	draft: boolean,
): Promise<{ url: string; alreadyOpen: boolean }> {
	const { host } = request;
	const { find, open, body, field } = calls(request, draft);
	const earlier = addressIn(await run({ program, host }, find), field, host);
	if (earlier !== null) return { url: earlier, alreadyOpen: true };
	const ran = await run({ program, host }, open, JSON.stringify(body));
	const url = addressIn(ran, field, host);
	if (url !== null) return { url, alreadyOpen: false };
	const why = [ran?.errors, messageIn(ran?.out ?? "")].map((text) => text?.trim()).find((text) => text) ?? "no answer";
	const link = request.link === null ? "" : ` Open it here: ${request.link}`;
	throw new Refused(
		refuse("PROCESS_FAILED", `${request.branch} was pushed, but ${program} could not open the pull request.${link}`, {
			details: { program, output: why.slice(0, 4000) },
		}),
	);
}

/** Only an address on the server itself is printed. */
function addressIn(ran: ToolResult | null, field: string, host: string): string | null {
	if (ran?.code !== 0) return null;
	const [first]: unknown[] = [parsed(ran.out)].flat();
	const url: unknown = Reflect.get(Object(first), field);
	return typeof url === "string" && url.startsWith(`https://${host}/`) ? url : null;
}

function messageIn(text: string): string | null {
	const message: unknown = Reflect.get(Object(parsed(text)), "message");
	return message === undefined ? null : JSON.stringify(message);
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

const outputMax = 4 * 1024 * 1024;

/**
 * A token in the environment says nothing about its server, and the tools send it to whatever server they are told. So
 * it is passed on only for the server that the environment names, or the forge's own: the repository chose `host`.
 */
function environmentOf({ program, host }: Called): NodeJS.ProcessEnv {
	const { GH_HOST, GITLAB_HOST, GITLAB_URI, GL_HOST } = process.env;
	const named = program === "gh" ? GH_HOST : (GITLAB_HOST ?? GITLAB_URI ?? GL_HOST ?? "gitlab.com");
	const isNamed = named?.replace(/^https?:\/\//, "").replace(/\/+$/, "") === host;
	const kept = isNamed ? tokens[program] : [];
	const all = Object.values(tokens).flat();
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => !all.includes(name) || kept.includes(name)));
}

interface Called extends Pick<Tool, "program"> {
	host: string;
}

/** `GH_TOKEN` is none of them: `gh` sends it to GitHub's own servers only. */
const tokens: Record<Tool["program"], readonly string[]> = {
	gh: ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"],
	glab: ["GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN", "OAUTH_TOKEN", "CI_JOB_TOKEN"],
};

/** Null if there is no such program. */
async function run(called: Called, args: readonly string[], input = ""): Promise<ToolResult | null> {
	const done = Promise.withResolvers<ToolResult | null>();
	const quiet = { GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1", GLAB_CHECK_UPDATE: "false", NO_COLOR: "1" };
	const env = { ...environmentOf(called), ...quiet };
	const child = spawn(called.program, args, { cwd: "/", env, timeout: timeoutMs });
	const texts = { out: "", errors: "" };
	child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
		if (texts.out.length < outputMax) texts.out += chunk;
	});
	child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
		if (texts.errors.length < outputMax) texts.errors += chunk;
	});
	child.once("error", (error) =>
		"code" in error && error.code === "ENOENT" ? done.resolve(null) : done.reject(error),
	);
	child.once("close", (code) => done.resolve({ code, ...texts }));
	child.stdin.on("error", expected("it need not read its input; its exit counts")).end(input);
	return await done.promise;
}
