// Every address of the dashboard. Links are built here and nowhere else.
import type { AgentId, ProjectSlug } from "#contract/ids.ts";

const segment = encodeURIComponent;

export const paths = {
	overview: () => "/",
	inbox: () => "/inbox",
	tree: () => "/tree",
	agent: (agent: AgentId) => `/agents/${segment(agent)}`,
	agentAt: (agent: AgentId, turn: number) => `/agents/${segment(agent)}?turn=${turn}`,
	/** an item that was searched for by these words */
	agentItem: (agent: AgentId, item: number, words: string) =>
		`/agents/${segment(agent)}?item=${item}&words=${segment(words)}`,
	/** with the focus in the box for prompts and answers */
	agentBox: (agent: AgentId) => `/agents/${segment(agent)}#box`,
	/** the form has this project, if one is named */
	agentAdd: (project?: ProjectSlug) =>
		project === undefined ? "/agents/new" : `/agents/new?project=${segment(project)}`,
	issues: (project?: ProjectSlug) => (project === undefined ? "/issues" : `/projects/${segment(project)}/issues`),
	issue: (project: ProjectSlug, number: number) => `/projects/${segment(project)}/issues/${number}`,
	review: (agent: AgentId) => `/agents/${segment(agent)}/review`,
	reviewIssue: (project: ProjectSlug, number: number) => `/projects/${segment(project)}/issues/${number}/review`,
	subscriptions: () => "/subscriptions",
	journal: () => "/journal",
	settings: () => "/settings",
	projectAdd: () => "/projects/new",
} as const;
