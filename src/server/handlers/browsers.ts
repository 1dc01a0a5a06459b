// Browsers: links that sign one in, and those that are signed in. Everybody sees and ends their own; admins all of
// them.
import { type PersonName, personOf } from "#contract/ids.ts";
import { slicePage } from "#contract/page.ts";
import { refuse } from "#contract/refusal.ts";
import type { Browsers } from "../browsers.ts";
import type { Handlers, ScopedRequest } from "../request-context.ts";

export interface BrowserHandlerParts {
	all: Browsers;
	/** ends all event streams; those of browsers that are still signed in resume */
	cutStreams(): void;
}

export function browserHandlers({ all, cutStreams }: BrowserHandlerParts) {
	return {
		browserLink: async ({ actor }) => all.link(personOf(actor)),
		browsers: async ({ page, ...request }) => slicePage(all.list(seenBy(request), request.browser), page),
		browserSignOut: async ({ params, ...request }) => {
			const gone = all.signOut(params["browser"] ?? "", seenBy(request));
			if (gone === null)
				return refuse("NOT_FOUND", "No browser with this id is signed in.", { suggestions: ["brood ui list"] });
			cutStreams();
			return gone;
		},
	} satisfies Partial<Handlers>;
}

const seenBy = ({ actor, role }: Pick<ScopedRequest, "actor" | "role">): PersonName | "everybody" =>
	role === "admin" ? "everybody" : (personOf(actor) ?? "everybody");
