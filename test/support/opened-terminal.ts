// The terminal program on an emulated terminal.
import type { Client } from "#client/client.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import { TerminalProgram } from "../../src/surfaces/tui/terminal.ts";
import { freshFolder } from "./stores.ts";
import { VirtualTerminal } from "./virtual-terminal.ts";

export interface OpenOptions {
	size?: readonly [number, number];
	home?: string;
	project?: ProjectSlug | null;
	colour?: boolean;
	beforeReconnect?(): Promise<void>;
}

export class OpenedTerminal implements AsyncDisposable {
	readonly terminal: VirtualTerminal;
	readonly program: TerminalProgram;
	readonly home: string;
	readonly #over: Promise<void>;
	now = 1_000_000;

	constructor(client: Client, first: AgentId | null, options: OpenOptions = {}) {
		const { size = [100, 30], home = freshFolder(), project = null, colour = false } = options;
		const { beforeReconnect = async () => {} } = options;
		this.home = home;
		this.terminal = new VirtualTerminal(size[0], size[1]);
		const freshKey = (): string => crypto.randomUUID();
		const parts = {
			client,
			home,
			project,
			isRepository: project !== null,
			colour,
			freshKey,
			beforeReconnect,
			isStopped: () => false,
		};
		this.program = new TerminalProgram({ ...parts, now: () => this.now, terminal: this.terminal }, first);
		this.#over = this.program.run();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.program.stop();
		await this.#over;
	}
}
