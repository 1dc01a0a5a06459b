// The pages: the pattern of each address and the code behind it, loaded when it is first opened.
import { type ComponentType, lazy } from "react";

interface Page {
	pattern: string;
	page: ComponentType<{ params: Readonly<Record<string, string>> }>;
}

/** The first pattern that matches counts. */
export const pages: readonly Page[] = [
	{ pattern: "/", page: lazy(async () => ({ default: (await import("./pages/overview/overview.tsx")).Overview })) },
	{
		pattern: "/inbox",
		page: lazy(async () => ({ default: (await import("./pages/inbox/inbox-page.tsx")).InboxPage })),
	},
	{ pattern: "/tree", page: lazy(async () => ({ default: (await import("./pages/tree/tree-page.tsx")).TreePage })) },
	{
		pattern: "/agents/new",
		page: lazy(async () => ({ default: (await import("./pages/add/add-agent.tsx")).AddAgent })),
	},
	{
		pattern: "/projects/new",
		page: lazy(async () => ({ default: (await import("./pages/add/add-project.tsx")).AddProject })),
	},
	{
		pattern: "/agents/:agent/review",
		page: lazy(async () => ({ default: (await import("./pages/review/review-page.tsx")).AgentReview })),
	},
	{
		pattern: "/projects/:project/issues/:number/review",
		page: lazy(async () => ({ default: (await import("./pages/review/review-page.tsx")).IssueReview })),
	},
	{
		pattern: "/projects/:project/issues/:number",
		page: lazy(async () => ({ default: (await import("./pages/issues/issue-page.tsx")).IssuePage })),
	},
	{
		pattern: "/projects/:project/issues",
		page: lazy(async () => ({ default: (await import("./pages/issues/issues-page.tsx")).IssuesPage })),
	},
	{
		pattern: "/issues",
		page: lazy(async () => ({ default: (await import("./pages/issues/issues-page.tsx")).IssuesPage })),
	},
	{
		pattern: "/subscriptions",
		page: lazy(async () => ({
			default: (await import("./pages/subscriptions/subscriptions-page.tsx")).SubscriptionsPage,
		})),
	},
	{
		pattern: "/journal",
		page: lazy(async () => ({ default: (await import("./pages/journal/journal-page.tsx")).JournalPage })),
	},
	{
		pattern: "/settings",
		page: lazy(async () => ({ default: (await import("./pages/settings/settings-page.tsx")).SettingsPage })),
	},
	{
		pattern: "/agents/:agent",
		page: lazy(async () => ({ default: (await import("./pages/agent/agent-page.tsx")).AgentPage })),
	},
];
