// The listener for other machines, if `config.yaml` has one.
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { ConfigError } from "#adapters/system/config.ts";
import type { HomeConfig } from "#contract/config.ts";
import { messageOf } from "#contract/message-of.ts";
import { shellWord } from "#contract/shell-word.ts";
import type { Listener } from "#server/listen.ts";

export async function remoteListenerIn(
	home: string,
	{ listen, tls }: Pick<HomeConfig, "listen" | "tls">,
	failed: (error: unknown) => void,
): Promise<Listener | null> {
	const files = tlsFilesIn(home, { tls });
	if (listen === undefined || tls === undefined || files === null) return null;
	const { openRemoteListener, RemoteListenerError } = await import("#server/remote-listener.ts");
	try {
		return await openRemoteListener({ listen, ...files, names: tls.names, failed });
	} catch (error) {
		if (error instanceof RemoteListenerError)
			throw new ConfigError(`${path.join(home, "config.yaml")}: ${error.message}`);
		throw error;
	}
}

/** What is in the files that `tls` names; null without it. */
export function tlsFilesIn(home: string, { tls }: Pick<HomeConfig, "tls">): { cert: string; key: string } | null {
	if (tls === undefined) return null;
	const file = path.join(home, "config.yaml");
	if ((statSync(tls.key, { throwIfNoEntry: false })?.mode ?? 0) & 0o077)
		throw new ConfigError(
			`${file}: tls.key: ${tls.key} is readable by others; run \`chmod 600 ${shellWord(tls.key)}\`.`,
		);
	const [cert = "", key = ""] = [tls.cert, tls.key].map((each) => {
		try {
			return readFileSync(each, "utf8");
		} catch (error) {
			throw new ConfigError(`${file}: tls: ${each} cannot be read: ${messageOf(error)}`);
		}
	});
	return { cert, key };
}
