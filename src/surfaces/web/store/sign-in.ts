// The landing of the one-time link that `brood ui` prints: `/sign-in#CODE`.
import { SignInRequest } from "#contract/browser.ts";
import { keepSecret } from "./browser-secret.ts";

let isUsed = false;

/** Whether this page was opened with a link that was used before, or has expired. */
export const isLinkUsed = (): boolean => isUsed;

/**
 * Exchanges the code for this browser's cookie and secret. Without a code, or with one that was used, nothing happens.
 */
export async function signIn(): Promise<void> {
	if (location.pathname !== "/sign-in") return;
	const code = SignInRequest.safeParse({ code: location.hash.slice(1) });
	// out of the history, before anything else can fail
	history.replaceState(null, "", "/");
	if (!code.success) return;
	const answer = await fetch("/api/sign-in", {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify(code.data),
		credentials: "same-origin",
	});
	isUsed = answer.status === 401;
	const { data } = await answer.json();
	if (typeof data?.secret === "string") keepSecret(data.secret);
}
