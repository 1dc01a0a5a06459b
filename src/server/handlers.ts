// Every handler in one table: one for each route of the contract.
import type { HomeSpace } from "#contract/space.ts";
import type { Desk, Handlers } from "./desk.ts";
import { type Adapters, adapterHandlers } from "./handlers/adapters.ts";
import { issueHandlers } from "./handlers/issues.ts";
import { livingHandlers } from "./handlers/living.ts";
import { mailHandlers } from "./handlers/mail.ts";
import { mirrorHandlers } from "./handlers/mirror.ts";
import { openHandlers } from "./handlers/open.ts";
import { paperHandlers } from "./handlers/papers.ts";
import { queueHandlers } from "./handlers/queue.ts";
import { type About, registryHandlers } from "./handlers/registry.ts";
import { spaceHandlers } from "./handlers/space.ts";
import { subscriptionHandlers } from "./handlers/subscriptions.ts";
import { threadHandlers } from "./handlers/thread.ts";
import { usageHandlers } from "./handlers/usage.ts";
import { workspaceHandlers } from "./handlers/workspaces.ts";

/** What handlers need of the world beside the engine. */
interface Outside {
	credentialTrouble: Parameters<typeof subscriptionHandlers>[1];
	adapters: Adapters;
	rotateToken: Parameters<typeof registryHandlers>[2];
	space(): Promise<HomeSpace>;
}

export function handlersOf(desk: Desk, about: About, { credentialTrouble, adapters, rotateToken, space }: Outside): Handlers {
	return {
		...registryHandlers(desk, about, rotateToken),
		...subscriptionHandlers(desk, credentialTrouble),
		...mirrorHandlers(desk, credentialTrouble),
		...livingHandlers(desk),
		...queueHandlers(desk),
		...threadHandlers(desk),
		...openHandlers(desk),
		...mailHandlers(desk),
		...workspaceHandlers(desk),
		...issueHandlers(desk),
		...paperHandlers(desk),
		...usageHandlers(desk),
		...adapterHandlers(adapters),
		...spaceHandlers(desk, space),
	};
}
