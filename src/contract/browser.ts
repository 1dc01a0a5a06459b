// Browsers that are signed in to the dashboard. A link opens one once; from then on the browser has a cookie and a
// second secret that only pages of the daemon's own origin can read, and needs both.
import { z } from "zod";
import { PersonName } from "./ids.ts";

export const BrowserId = z.string().regex(/^[0-9a-f]{12}$/, "a browser is named by the id that `brood ui list` shows");

export const Browser = z.object({
	id: BrowserId,
	/** what the browser calls itself */
	name: z.string(),
	/** whose it is; null for the home's owner */
	person: PersonName.nullable(),
	signedInAt: z.iso.datetime(),
	expiresAt: z.iso.datetime(),
	/** the browser that asks */
	isCaller: z.literal(true).exactOptional(),
});
export type Browser = z.infer<typeof Browser>;

export const BrowserLink = z.object({ url: z.string(), expiresAt: z.iso.datetime() });

/** What a page sends to `POST /api/sign-in`: the part of the link after the `#`. */
export const SignInRequest = z.strictObject({ code: z.string().regex(/^[A-Za-z0-9_-]{43}$/) });
