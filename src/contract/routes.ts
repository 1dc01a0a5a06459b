// The HTTP API as data: for the server, the client and the OpenAPI document. Surfaces have no other way in.
import type { z } from "zod";
import type { Refusal } from "./refusal.ts";
import { agentRoutes } from "./routes/agents.ts";
import { browserRoutes } from "./routes/browsers.ts";
import { daemonRoutes } from "./routes/daemon.ts";
import { issueDocumentRoutes } from "./routes/issue-documents.ts";
import { issueRoutes } from "./routes/issues.ts";
import { messagingRoutes } from "./routes/messaging.ts";
import { nodeRoutes } from "./routes/nodes.ts";
import { overviewRoutes } from "./routes/overviews.ts";
import { personRoutes } from "./routes/persons.ts";
import { reviewRoutes } from "./routes/review.ts";
import type { Route } from "./routes/route.ts";
import { siteRoutes } from "./routes/sites.ts";
import { subscriptionRoutes } from "./routes/subscriptions.ts";
import { threadRoutes } from "./routes/thread.ts";
import { usageRoutes } from "./routes/usage.ts";
import { workspaceRoutes } from "./routes/workspaces.ts";

export type { AgentCommand, Route } from "./routes/route.ts";

// the first match wins, so `agents/available` comes before `agents/:agent`
export const routes = {
	...{ ...subscriptionRoutes, ...daemonRoutes, ...agentRoutes, ...threadRoutes, ...messagingRoutes, ...browserRoutes },
	...{ ...overviewRoutes, ...issueRoutes, ...issueDocumentRoutes, ...workspaceRoutes, ...reviewRoutes, ...usageRoutes },
	...{ ...nodeRoutes, ...siteRoutes },
	...personRoutes,
} satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;

export type AnswerOf<N extends RouteName> = z.infer<Routes[N]["answer"]>;

interface RouteInput {
	params?: Readonly<Record<string, string>>;
	query?: unknown;
	body?: unknown;
}

/** Calls a route by name; the daemon validates the input. */
export type CallRoute = <N extends RouteName>(name: N, input: RouteInput) => Promise<AnswerOf<N> | Refusal>;
