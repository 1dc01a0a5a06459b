// The routes of vendors' agents: list and install.
import { slicePage } from "#contract/page.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { VendorAgent } from "#contract/wire.ts";
import type { Handlers } from "../request-context.ts";

export interface Vendors {
	all(): VendorAgent[];
	install(type: string): Promise<VendorAgent | Refusal>;
}

export const vendorHandlers = (vendors: Vendors): Pick<Handlers, "vendors" | "setup"> => ({
	vendors: async ({ page }) => slicePage(vendors.all(), page),
	setup: async ({ params }) => await vendors.install(params["type"] ?? ""),
});
