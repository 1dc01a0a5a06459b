// Every handler in one table: one for each route that is not a single command.
import type { HomeSpace } from "#contract/space.ts";
import { agentLifecycleHandlers } from "./handlers/agent-lifecycle.ts";
import { agentHandlers } from "./handlers/agents.ts";
import { approvalHandlers } from "./handlers/approvals.ts";
import { availabilityHandlers } from "./handlers/availability.ts";
import { type BrowserHandlerParts, browserHandlers } from "./handlers/browsers.ts";
import { type About, daemonHandlers } from "./handlers/daemon.ts";
import { issueDocumentHandlers } from "./handlers/issue-documents.ts";
import { issueHandlers } from "./handlers/issues.ts";
import { mailHandlers } from "./handlers/mail.ts";
import { mirrorHandlers } from "./handlers/mirror.ts";
import { movingHandlers } from "./handlers/moving.ts";
import { nodeHandlers } from "./handlers/nodes.ts";
import { overviewHandlers } from "./handlers/overviews.ts";
import { personHandlers } from "./handlers/persons.ts";
import { progressHandlers } from "./handlers/progress.ts";
import { projectHandlers } from "./handlers/projects.ts";
import { queueHandlers } from "./handlers/queue.ts";
import { reviewHandlers } from "./handlers/review.ts";
import { siteHandlers } from "./handlers/sites.ts";
import { spaceHandlers } from "./handlers/space.ts";
import { type ApiKeyFiles, subscriptionHandlers } from "./handlers/subscriptions.ts";
import { threadHandlers } from "./handlers/thread.ts";
import { turnHandlers } from "./handlers/turns.ts";
import { usageHandlers } from "./handlers/usage.ts";
import { type Vendors, vendorHandlers } from "./handlers/vendors.ts";
import { waitHandlers } from "./handlers/waits.ts";
import { workspaceHandlers } from "./handlers/workspaces.ts";
import type { Handlers, RequestContext } from "./request-context.ts";

/** What handlers need beside the engine. */
interface HandlerParts {
	credentialProblem: Parameters<typeof subscriptionHandlers>[1];
	keyFiles: ApiKeyFiles;
	vendors: Vendors;
	rotateToken: Parameters<typeof daemonHandlers>[2];
	space(): Promise<HomeSpace>;
	browsers: BrowserHandlerParts;
	personsChanged(): Promise<void>;
}

export function handlersOf(
	context: RequestContext,
	about: About,
	{ credentialProblem, keyFiles, vendors, rotateToken, space, browsers, personsChanged }: HandlerParts,
): Handlers {
	return {
		...daemonHandlers(context, about, rotateToken),
		...projectHandlers(context),
		...agentHandlers(context),
		...subscriptionHandlers(context, credentialProblem, keyFiles),
		...overviewHandlers(context, credentialProblem),
		...mirrorHandlers(context, credentialProblem),
		...agentLifecycleHandlers(context),
		...availabilityHandlers(context),
		...movingHandlers(context),
		...siteHandlers(context),
		...progressHandlers(context),
		...queueHandlers(context),
		...turnHandlers(context),
		...threadHandlers(context),
		...approvalHandlers(context),
		...waitHandlers(context),
		...mailHandlers(context),
		...workspaceHandlers(context),
		...issueHandlers(context),
		...issueDocumentHandlers(context),
		...reviewHandlers(context),
		...usageHandlers(context),
		...vendorHandlers(vendors),
		...spaceHandlers(context, space),
		...browserHandlers(browsers),
		...nodeHandlers(context),
		...personHandlers(context, personsChanged),
	};
}
