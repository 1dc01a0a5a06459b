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
		pattern: "/agents/:agent",
		page: lazy(async () => ({ default: (await import("./pages/agent/agent-page.tsx")).AgentPage })),
	},
];
