// Why a remote could not be fetched from, or did not take a push, in its own words and git's.
import { lastLine } from "./repository-problem.ts";

/** One line. */
export const fetchReason = (errors: string): string => advised(withoutSecrets(sshReason(errors) ?? lastLine(errors)));

/** Lines that git adds to every reason. */
const boilerplate =
	/^(hint:|To |error: failed to push some refs|fatal: Could not read from remote repository|Please make sure you have the correct access|and the repository exists)/;

/** Without git's hints about commands that do not apply here. */
export function pushReason(errors: string): string {
	const lines = errors.split("\n").map((line) => line.replace(/^remote:\s*/, "").trim());
	const reasons = lines.filter((line) => line !== "" && !boilerplate.test(line));
	const text = sshReason(errors) ?? (reasons.length === 0 ? errors.trim() : reasons.join("\n"));
	return advised(withoutSecrets(text)).slice(0, 2000);
}

/** Git itself says only that it could not read; the line of ssh before that has the reason. */
function sshReason(errors: string): string | null {
	const lines = errors.split("\n").map((line) => line.trim());
	const before = lines[lines.findIndex((line) => /^fatal: Could not read from remote repository/.test(line)) - 1];
	return before === undefined || before === "" || before.startsWith("fatal: ") ? null : before;
}

const advised = (text: string): string =>
	/terminal prompts disabled|could not read (Username|Password)/.test(text)
		? `${text}; Brood never asks for a password: set up a credential helper, or use an ssh address`
		: text;

/** An address may have a password in it. */
const withoutSecrets = (text: string): string => text.replaceAll(/:\/\/[^@/\s]*@/g, "://");
