// `brood pr`: the daemon pushes the branch; the forge's own tool, with the person's login, opens the pull request.
import { counted } from "#contract/counted.ts";
import type { PullRequest } from "#contract/pull-request.ts";
import { pullRequestLink } from "#views/forge.ts";
import { act, type CliContext, type Options } from "./act.ts";
import { scopeOf } from "./directory-project.ts";
import { type OnServer, openPullRequest, toolFor } from "./forge-tools.ts";
import { isIssue } from "./options.ts";
import { textOf } from "./prompt.ts";

interface PrOptions extends Options {
	title?: string | undefined;
	body?: string | undefined;
	file?: string | undefined;
	draft?: boolean | undefined;
	link?: boolean | undefined;
	dryRun?: boolean | undefined;
}

interface Opened extends PullRequest {
	/** the address of the pull request; null if a person has to open it */
	url: string | null;
	/** it was open already */
	alreadyOpen: boolean;
}

export async function pr(name: string, options: PrOptions): Promise<void> {
	const { title, body, file, draft = false, link = false, dryRun = false } = options;
	await act(
		options,
		async (cli): Promise<Opened> => {
			const text = body === undefined && file === undefined ? undefined : await textOf(body, file, "body");
			const words = { title: title || undefined, body: text };
			const request = await ask(cli, name, { ...words, dryRun: true });
			if (dryRun) return { ...request, url: null, alreadyOpen: false };
			const tool = link || !isOnServer(request) ? null : await toolFor(request, name);
			const pushed = await ask(cli, name, { ...words, commit: request.commit });
			if (tool === null || !isOnServer(pushed)) return { ...pushed, url: null, alreadyOpen: false };
			const onServer = { ...pushed, link: pushed.link ?? pullRequestLink(tool.forge, pushed) };
			return { ...onServer, ...(await openPullRequest(tool.tool, onServer, draft)) };
		},
		prText,
	);
}

const isOnServer = (request: PullRequest): request is OnServer =>
	request.host !== null && request.repository !== null && request.target !== null;

async function ask(cli: CliContext, name: string, body: object): Promise<PullRequest> {
	const query = await scopeOf(cli, [name]);
	const key = `${cli.key}-${"dryRun" in body ? "look" : "push"}`;
	return isIssue(name)
		? await cli.client.ask("issuePullRequest", { key, query, params: { issue: name }, body })
		: await cli.client.ask("pullRequest", { key, query, params: { agent: name }, body });
}

function prText({ branch, base, commits, remote, title, body, link, url, alreadyOpen, pushed, host }: Opened): string {
	const amount = counted(commits, "commit");
	if (!pushed) {
		const text = body === "" ? [] : body.split("\n").map((line) => `  | ${line}`);
		return [
			`would push ${branch} (${amount}) to ${remote}, for ${base}`,
			`  | ${title}`,
			...text,
			...(link ? [link] : []),
		].join("\n");
	}
	const first = `pushed ${branch} (${amount}) to ${remote}`;
	if (url !== null) return `${first}\n${alreadyOpen ? "updated" : "opened"} ${url}`;
	if (link !== null) return `${first}\nopen the pull request here: ${link}`;
	const where = host === null ? `${remote} is a folder on this machine` : `Brood does not know the server ${host}`;
	return `${first}\n${where}: open the pull request by hand`;
}
