import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { freshFolder } from "#test/support/stores.ts";
import { VendorSetup } from "./vendor-setup.ts";

test("a link to nowhere, where adapters should be installed, is named", async () => {
	const adapters = path.join(freshFolder(), "adapters");
	symlinkSync("/nowhere/at/all", adapters);
	const setup = new VendorSetup({ adapters, homeId: "m", containment: "groups", environment: {} });
	const message = expect.stringMatching(
		new RegExp(`^Nothing can be installed into ${adapters}: .*ENOENT.* a link to one`),
	);
	expect(await setup.install("claude")).toMatchObject({ code: "INSTALL_FAILED", message, details: { path: adapters } });
});
