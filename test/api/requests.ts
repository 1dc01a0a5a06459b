// What is asked of each route and each tool when the question is who may: about an agent that is there, and things of
// it that are there.

import type { ToolName } from "#client/tools.ts";
import { type Route, type RouteName, routes } from "#contract/routes.ts";
import type { ApiRequest, ApiWorld } from "#test/support/api-world.ts";

/** Only where a route needs one to be understood. */
const bodies: Partial<Record<RouteName, object>> = {
	backup: { file: "/nowhere/backup" },
	projectAdd: { slug: "more", path: "/srv/more" },
	siteAdd: { node: "nowhere", path: "/srv/web" },
	projectMove: { to: "nowhere" },
	siteSync: { node: "nowhere" },
	siteMerge: { agent: "0".repeat(22), commit: "0".repeat(40) },
	agentMove: { to: "nowhere" },
	prompt: { text: "do it" },
	promptEdit: { text: "other words" },
	promptMove: { to: 1 },
	turnFinish: { message: "done" },
	approvalAnswer: { allow: true },
	waitOpen: { agents: ["web/subject"] },
	send: { body: "hello" },
	commit: { message: "work" },
	restore: { snapshot: "1" },
	projectApprove: { fingerprint: "f" },
	personAdd: { name: "anna", tokenHash: "0".repeat(64) },
	subscriptionAdd: { name: "other", type: "scripted" },
	subscriptionCool: { until: null },
	issueAdd: { title: "Another" },
	issueAssign: { agent: "subject" },
	issueMove: { stage: "IN_PROGRESS" },
	issueDepend: { on: 2 },
	issueComment: { text: "words" },
	issueDocument: { name: "notes.md", text: "words" },
	issueMessage: { stage: "IN_PROGRESS", text: "words" },
	issueReject: { reason: "no" },
	issueEscalate: { reason: "look" },
	workComplete: { summary: "done" },
};

const queries: Partial<Record<RouteName, string>> = {
	search: "text=words&agent=subject",
	projectBase: "have=&bundle=false",
};

export function requestOf(name: RouteName, world: ApiWorld): ApiRequest {
	const route: Route = routes[name];
	const { subject, prompt, mail, wait, turn, item, approval } = world;
	const places: Record<string, string | number> = {
		...{
			agent: subject.id,
			project: "web",
			issue: "web#1",
			on: 2,
			snapshot: 1,
			subscription: "plan",
			person: "nobody",
			node: "nobody",
		},
		...{ prompt, mail, wait, turn, item, approval },
	};
	const path = route.path.replace(/:(\w+)/g, (_, place: string) => encodeURIComponent(String(places[place])));
	const query = queries[name];
	return {
		method: route.method.toUpperCase(),
		path: query === undefined ? path : `${path}?${query}`,
		...(route.body && { body: bodies[name] ?? {} }),
	};
}

export const toolInputs: Record<ToolName, object> = {
	fork: { prompt: "go", type: "scripted", workspace: "none" },
	kill: { agent: "subject" },
	interrupt: { agent: "subject" },
	send: { agent: "subject", body: "hello" },
	check_mail: {},
	read_mail: {},
	wait: { agents: ["subject"] },
	list_agents: {},
	queue_prompt: { agent: "subject", text: "do it" },
	commit: { message: "work" },
	diff: {},
	work_complete: { summary: "done" },
	comment: { text: "words" },
	stage_message: { stage: "IN_PROGRESS", text: "words" },
	search: { text: "words", agent: "subject" },
};
