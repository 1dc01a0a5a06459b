// The pages: the pattern of each address and the code behind it, loaded when it is first opened or the browser is idle.
import { type LaterPage, pageLoadedLater } from "./shell/page-loaded-later.tsx";

interface Page {
	pattern: string;
	page: LaterPage;
}

const treePage = pageLoadedLater(async () => (await import("./pages/tree/tree-page.tsx")).TreePage);

/** The first pattern that matches counts. */
export const pages: readonly Page[] = [
	{ pattern: "/", page: pageLoadedLater(async () => (await import("./pages/overview/overview.tsx")).Overview) },
	{
		pattern: "/inbox",
		page: pageLoadedLater(async () => (await import("./pages/inbox/inbox-page.tsx")).InboxPage),
	},
	{ pattern: "/tree", page: treePage },
	// where an agent's address without its id leads
	{ pattern: "/agents", page: treePage },
	{
		pattern: "/agents/new",
		page: pageLoadedLater(async () => (await import("./pages/add/add-agent.tsx")).AddAgent),
	},
	{
		pattern: "/projects/new",
		page: pageLoadedLater(async () => (await import("./pages/add/add-project.tsx")).AddProject),
	},
	{
		pattern: "/agents/:agent/review",
		page: pageLoadedLater(async () => (await import("./pages/review/review-page.tsx")).AgentReview),
	},
	{
		pattern: "/projects/:project/issues/:number/review",
		page: pageLoadedLater(async () => (await import("./pages/review/review-page.tsx")).IssueReview),
	},
	{
		pattern: "/projects/:project/issues/:number",
		page: pageLoadedLater(async () => (await import("./pages/issues/issue-page.tsx")).IssuePage),
	},
	{
		pattern: "/projects/:project/issues",
		page: pageLoadedLater(async () => (await import("./pages/issues/issues-page.tsx")).IssuesPage),
	},
	{
		pattern: "/issues",
		page: pageLoadedLater(async () => (await import("./pages/issues/issues-page.tsx")).IssuesPage),
	},
	{
		pattern: "/subscriptions",
		page: pageLoadedLater(async () => (await import("./pages/subscriptions/subscriptions-page.tsx")).SubscriptionsPage),
	},
	{
		pattern: "/journal",
		page: pageLoadedLater(async () => (await import("./pages/journal/journal-page.tsx")).JournalPage),
	},
	{
		pattern: "/settings",
		page: pageLoadedLater(async () => (await import("./pages/settings/settings-page.tsx")).SettingsPage),
	},
	{
		pattern: "/agents/:agent",
		page: pageLoadedLater(async () => (await import("./pages/agent/agent-page.tsx")).AgentPage),
	},
];

/** One after the other, each when the browser is idle: without a daemon, pages that nobody has opened are shown too. */
export function loadPagesWhenIdle(rest: readonly Page[] = pages): void {
	const [first, ...others] = rest;
	if (first === undefined) return;
	const next = (): void => loadPagesWhenIdle(others);
	// one that cannot be loaded now is asked for again when it is opened
	whenIdle(() => void first.page.load().then(next, next));
}

function whenIdle(run: () => void): void {
	// Safari has none
	if ("requestIdleCallback" in globalThis) requestIdleCallback(run);
	else setTimeout(run, 200);
}
