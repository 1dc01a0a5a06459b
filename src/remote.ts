// The door for other machines, if `config.yaml` has one.
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { ConfigError } from "#adapters/system/config.ts";
import { messageOf } from "#adapters/system/errors.ts";
import type { HomeConfig } from "#contract/config.ts";
import type { Door } from "#server/listen.ts";

export async function remoteDoorIn(
	home: string,
	{ listen, tls }: Pick<HomeConfig, "listen" | "tls">,
	failed: (error: unknown) => void,
): Promise<Door | null> {
	if (listen === undefined || tls === undefined) return null;
	const file = path.join(home, "config.yaml");
	if ((statSync(tls.key, { throwIfNoEntry: false })?.mode ?? 0) & 0o077)
		throw new ConfigError(`${file}: tls.key: ${tls.key} is readable by others; run \`chmod 600 ${tls.key}\`.`);
	const [cert, key] = [tls.cert, tls.key].map((each) => {
		try {
			return readFileSync(each, "utf8");
		} catch (error) {
			throw new ConfigError(`${file}: tls: ${each} cannot be read: ${messageOf(error)}`);
		}
	});
	const { openRemoteDoor, RemoteDoorError } = await import("#server/remote-door.ts");
	try {
		return await openRemoteDoor({ listen, cert: cert ?? "", key: key ?? "", names: tls.names, failed });
	} catch (error) {
		if (error instanceof RemoteDoorError) throw new ConfigError(`${file}: ${error.message}`);
		throw error;
	}
}
