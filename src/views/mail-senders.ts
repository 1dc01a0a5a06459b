// Mail in a prompt, as people read it. The command line loads this file: nothing of zod is behind it.
import { inline } from "#contract/visible.ts";

/** A prompt for people: mail in it is headed by its sender's id, for models. */
export const withSenders = (prompt: string, nameOf: (actor: string) => string): string =>
	prompt.replaceAll(
		/^(\[mail \d+ from )(agent:[\w-]+)\]/gm,
		(_, head: string, by: string) => `${head}${inline(nameOf(by))}]`,
	);
