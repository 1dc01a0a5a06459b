// A subscription's credentials: variables from a file that only its owner can read, or a vendor's settings folder.
// The file's content goes only into the environment of one process; no message repeats it.
import { lstatSync, readFileSync } from "node:fs";
import { messageOf } from "#contract/message-of.ts";
import { shellWord } from "#contract/shell-word.ts";
import type { Credential, SubscriptionState } from "#contract/subscription.ts";
import { vendors } from "./vendors/vendors.ts";

/** The variable for programs of other types. */
const anyHome = "XDG_CONFIG_HOME";

/** The variables of a subscription's agents. Throws with a sentence if they cannot be read. */
export function credentialVariables(credential: Credential, agentType: string): Record<string, string> {
	if (credential === null) return {};
	const problem = credentialProblem(credential);
	if (problem !== null) throw new Error(problem);
	if ("configDir" in credential) return { [vendors[agentType]?.homeVariable ?? anyHome]: credential.configDir };
	return variablesIn(readFileSync(credential.envFile, "utf8"), credential.envFile);
}

/** The same, or a sentence that says why not. */
export function credentialsOf(
	subscription: Pick<SubscriptionState, "name" | "credential"> | null,
	agentType: string,
): Record<string, string> | string {
	try {
		return credentialVariables(subscription?.credential ?? null, agentType);
	} catch (error) {
		return `The credentials of subscription ${subscription?.name} cannot be used: ${messageOf(error)}`;
	}
}

/** Why it cannot be used, in a sentence; null if it can. */
export function credentialProblem(credential: Credential): string | null {
	if (credential === null) return null;
	const path = "envFile" in credential ? credential.envFile : credential.configDir;
	const found = lstatSync(path, { throwIfNoEntry: false });
	if (found === undefined) return `There is no ${path}.`;
	if ("configDir" in credential) return found.isDirectory() ? null : `${path} is not a folder.`;
	if (!found.isFile()) return `${path} is not a file.`;
	return (found.mode & 0o077) === 0 ? null : `${path} is readable by others; run \`chmod 600 ${shellWord(path)}\`.`;
}

const line = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/;

function variablesIn(text: string, file: string): Record<string, string> {
	const variables: Record<string, string> = {};
	for (const [at, words] of text.split("\n").entries()) {
		const bare = words.trim();
		if (bare === "" || bare.startsWith("#")) continue;
		const [, name, value = ""] = line.exec(bare) ?? [];
		if (name === undefined) throw new Error(`Line ${at + 1} of ${file} is not NAME=value.`);
		if (name.startsWith("BROOD_")) throw new Error(`Line ${at + 1} of ${file} sets a variable of Brood's own.`);
		variables[name] = /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value;
	}
	return variables;
}
