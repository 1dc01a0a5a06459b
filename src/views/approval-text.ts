// Words about an approval that the terminal and the command line share.
import type { Approval } from "#contract/wire.ts";

/** Follows "files": where those are that the question names. */
export function filesText({ inside, command }: Pick<Approval, "inside" | "command">): string {
	if (command !== undefined) return "that it names (a command can change others)";
	return inside ? "(all in its workspace)" : "(not all in its workspace)";
}
