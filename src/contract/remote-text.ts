// How a project and its remote stand, in words. Nothing here loads zod: the command line does without it.
import type { Merged, Pushed, RemoteStatus } from "./workspace.ts";

/** One sentence on both sides. */
export function remoteText({ remote, branch, absent, ahead, behind, rewritten, took, error }: RemoteStatus): string {
	const there = `${remote}/${branch}`;
	const commits = (number: number): string => `${number} ${number === 1 ? "commit" : "commits"}`;
	const stands = absent
		? `${remote} has no branch ${branch}.`
		: ahead > 0 && behind > 0
			? `${branch} has diverged from ${there}: ${ahead} ahead, ${behind} behind.`
			: ahead > 0
				? `${branch} is ${commits(ahead)} ahead of ${there}, not pushed.`
				: behind > 0
					? `${branch} is ${commits(behind)} behind ${there}.`
					: `${branch} is up to date with ${there}.`;
	return [
		error === null ? "" : `${remote} could not be fetched: ${error}. As last seen:`,
		took === 0 ? "" : `${branch} took in ${commits(took)} of ${there}.`,
		stands,
		rewritten ? `${there} was rewritten by a force-push.` : "",
	]
		.filter((sentence) => sentence !== "")
		.join(" ");
}

/** What a remote said in several lines, in one. */
export const notPushed = ({ error }: Pushed): string => (error ?? "").split("\n").join("; ").replace(/\.$/, "");

/** What became of the push, and how base stands against the remote; null without a remote. */
export function mergeNote({ push, origin }: Pick<Merged, "push" | "origin">): string | null {
	const pushed = push === null ? [] : [push.pushed ? `Pushed to ${push.remote}.` : `Not pushed: ${notPushed(push)}.`];
	const sentences = [...pushed, ...(origin === null ? [] : [remoteText(origin)])];
	return sentences.length === 0 ? null : sentences.join(" ").slice(0, 4000);
}
