// This tab among the tabs of the browser.
import type { Client } from "#client/client.ts";
import { freshKey } from "./connection.ts";
import { type OpenStream, SharedStream } from "./shared-stream.ts";

/** The stream that this tab reads: shared where the browser can, its own otherwise. */
export function streamOf(client: Client): OpenStream {
	const open: OpenStream = (query, signal) => client.stream(query, signal);
	// only secure contexts have locks; a name or address of another machine over plain HTTP is none
	if (!("locks" in navigator) || !("BroadcastChannel" in globalThis)) return open;
	const shared = new SharedStream({
		tab: freshKey(),
		open,
		channel: new BroadcastChannel("brood.stream"),
		lead: () =>
			new Promise((lead) => {
				void navigator.locks.request("brood.stream", async () => {
					lead(null);
					await new Promise(() => {});
				});
			}),
	});
	return (query, signal) => shared.stream(query, signal);
}
