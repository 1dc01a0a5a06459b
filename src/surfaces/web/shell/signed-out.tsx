import type { Refusal } from "#contract/refusal.ts";
import { isLinkUsed } from "../store/sign-in.ts";

/** The daemon does not know this browser, or no longer. */
export function SignedOut({ refusal }: { refusal: Refusal }) {
	return (
		<main className="signed-out">
			<h1>{refusal.code === "UNAUTHORIZED" ? "This browser is not signed in." : refusal.message}</h1>
			{isLinkUsed() && (
				<p>The link was used before, or has expired: each one signs in one browser, within two minutes.</p>
			)}
			<p>
				Run <code>brood ui</code> on the machine of the daemon. It opens this page with a link that works once.
			</p>
		</main>
	);
}
