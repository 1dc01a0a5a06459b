import { expect, test } from "vitest";
import { pageTitle } from "./page-title.ts";

const title = (location: string): string => pageTitle(location, () => undefined);

test("every page of the navigation has a title, whichever of its addresses was used", () => {
	expect(["/inbox", "/tree", "/agents", "/agents/new"].map(title)).toEqual([
		"Inbox",
		"Agents",
		"Agents",
		"Add an agent",
	]);
	expect(title("/projects/shop/issues/3/review")).toBe("Review shop#3");
});
