// Who may own the home: anyone who can write to it could replace the daemon and read the token.
import { shellWord } from "./shell-word.ts";

export interface Ownership {
	uid: number;
	mode: number;
	isDirectory(): boolean;
}

/** Why a home cannot be used, and the command that fixes it. */
export interface HomeProblem {
	message: string;
	suggestions: string[];
}

/** `uid` is null on systems without users. */
export function homeProblem(home: string, found: Ownership, uid: number | null): HomeProblem | null {
	if (!found.isDirectory())
		return { message: `${home} is not a folder. Choose another one with BROOD_HOME.`, suggestions: [] };
	if (uid !== null && found.uid !== uid)
		return {
			message: `${home} belongs to another user (uid ${found.uid}, you are ${uid}). Choose another folder with BROOD_HOME.`,
			suggestions: [],
		};
	if ((found.mode & 0o022) !== 0)
		return { message: `${home} can be written by other users.`, suggestions: [`chmod 700 ${shellWord(home)}`] };
	return null;
}

/** A file of the home that is there and cannot be read. */
export const unreadableFile = (
	file: string,
	{ message, code }: { message: string; code: string | null },
): HomeProblem => ({
	message: `${file} cannot be read: ${message}.`,
	suggestions: code === "EACCES" ? [`chmod 600 ${shellWord(file)}`] : [],
});
