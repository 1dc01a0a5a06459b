// What the terminal program is given.
import type { Client } from "#client/client.ts";
import type { ProjectSlug } from "#contract/ids.ts";
import type { Terminal } from "./pi/screen.ts";

export interface TerminalOptions {
	client: Client;
	home: string;
	project: ProjectSlug | null;
	/** the directory is in a git repository, of a project or not */
	isRepository: boolean;
	colour: boolean;
	/** a key for each request that changes something */
	freshKey(): string;
	/** finds the daemon again, until the signal is aborted; starts it unless it was stopped on purpose */
	beforeReconnect(signal: AbortSignal): Promise<unknown>;
	/** somebody stopped the daemon on purpose */
	isStopped(): boolean;
	now(): number;
	/** the process's own if absent */
	terminal?: Terminal;
}
