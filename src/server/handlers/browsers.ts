// Browsers: links that sign one in, and those that are signed in.
import { slicePage } from "#contract/page.ts";
import { refuse } from "#contract/refusal.ts";
import type { Browsers } from "../browsers.ts";
import type { Handlers } from "../request-context.ts";

export interface BrowserHandlerParts {
	all: Browsers;
	/** ends all event streams; those of browsers that are still signed in resume */
	cutStreams(): void;
}

export function browserHandlers({ all, cutStreams }: BrowserHandlerParts) {
	return {
		browserLink: async () => all.link(),
		browsers: async ({ page }) => slicePage(all.list(), page),
		browserSignOut: async ({ params }) => {
			const gone = all.signOut(params["browser"] ?? "");
			if (gone === null)
				return refuse("NOT_FOUND", "No browser with this id is signed in.", { suggestions: ["brood ui list"] });
			cutStreams();
			return gone;
		},
	} satisfies Partial<Handlers>;
}
