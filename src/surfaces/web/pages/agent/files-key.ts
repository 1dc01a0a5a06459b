import type { Agent } from "#contract/wire.ts";

/** Another one whenever the agent's files may have changed: that is in turns and in git steps. */
export const filesKey = ({ turn, lease, lastActiveAt }: Agent): string =>
	[turn?.id ?? "", lease ?? "", lastActiveAt].join(" ");
