// What the terminal program is given.
import type { Client } from "#client/client.ts";
import type { ProjectSlug } from "#contract/ids.ts";
import type { Terminal } from "./pi/screen.ts";

export interface TerminalOptions {
	client: Client;
	home: string;
	project: ProjectSlug | null;
	colour: boolean;
	/** a key for each request that changes something */
	freshKey(): string;
	/** finds the daemon again, or starts it */
	beforeReconnect(): Promise<unknown>;
	now(): number;
	/** the process's own if absent */
	terminal?: Terminal;
}
