// What a slash command is given, and what it answers.
import type { Client } from "#client/client.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { Preferences } from "#contract/terminal-file.ts";
import type { Agent } from "#contract/wire.ts";
import type { Panel, PanelFile, Seen } from "./model.ts";
import type { Words } from "./words.ts";

export interface SlashContext {
	client: Client;
	/** aborted when the person no longer waits */
	signal: AbortSignal;
	/** says which agents the command waits for: their questions are shown beside it */
	awaits(agents: readonly AgentId[]): void;
	agent: Agent;
	/** one per command: a retry never doubles it */
	key: string;
	/** the agents that a name may mean */
	query: { project?: Agent["project"] & string };
	/** the project of the terminal, in which new agents are made */
	project: ProjectSlug | null;
	/** as it was when the command was given */
	seen: Pick<Seen, "agents" | "now">;
}

/** What the screen does with a command's answer. */
export interface SlashAnswer {
	text?: string;
	/** the prompt that the text is about: the text is true only while it waits */
	queued?: number;
	panel?: Panel;
	/** of the diff that is shown */
	file?: PanelFile;
	/** only if the reader is still there */
	go?: { from: AgentId; to: AgentId };
	quit?: true;
	/** preferences that change */
	prefer?: Partial<Preferences>;
}

export interface SlashCommand {
	/** after the name */
	usage: string;
	help: string;
	/** options without a value */
	flags?: readonly string[];
	/** what is shown while it waits */
	waits?: string | ((agent: Agent) => string);
	/** what is said if the person does not wait for its end; by default, that it may still be done */
	cancelled?: string;
	run(context: SlashContext, words: Words): Promise<SlashAnswer>;
}
