// The routes of vendors' agents: list and install.
import type { Refusal } from "#contract/refusal.ts";
import type { Adapter } from "#contract/wire.ts";
import type { Handlers } from "../request-context.ts";

export interface Adapters {
	all(): Adapter[];
	install(type: string): Promise<Adapter | Refusal>;
}

export const adapterHandlers = (adapters: Adapters): Pick<Handlers, "adapters" | "setup"> => ({
	adapters: async () => adapters.all(),
	setup: async ({ params }) => await adapters.install(params["type"] ?? ""),
});
