// What a change is called and what it consists of, for a pull request or a merge: from the issue, or from the commits.

interface Source {
	/** the issue that the work was done for */
	issue: { title: string; body: string } | null;
	/** the whole messages of its commits, oldest first */
	messages: readonly string[];
	branch: string;
}

/** how many commits are listed by name */
const listedMax = 50;

/** A title on one line, and a body in Markdown. */
export function changeText({ issue, messages, branch }: Source): { title: string; body: string } {
	const commits = messages.map(withoutTrailers);
	const subjects = commits.map((text) => text.split("\n", 1)[0]?.trim() ?? "").filter((subject) => subject !== "");
	const [only] = commits;
	const title = titleLine(issue?.title ?? subjects[0] ?? branch);
	if (issue !== null) return { title, body: joined([issue.body.trim(), listOf(subjects, title)]) };
	if (commits.length === 1 && only !== undefined) return { title, body: only.split("\n").slice(1).join("\n").trim() };
	return { title, body: listOf(subjects, title) };
}

const joined = (parts: readonly string[]): string => parts.filter((part) => part !== "").join("\n\n");

/** Nothing, if the one commit says no more than the title. */
function listOf(subjects: readonly string[], title: string): string {
	if (subjects.length === 1 && titleLine(subjects[0] ?? "") === title) return "";
	const rest = subjects.length - listedMax;
	return [
		...subjects.slice(0, listedMax).map((subject) => `- ${subject}`),
		...(rest > 0 ? [`- and ${rest} more`] : []),
	].join("\n");
}

/** Without Brood's own trailers, which mean nothing to a reader on a server. */
const withoutTrailers = (message: string): string => message.replaceAll(/^Brood-[A-Za-z]+: .*(?:\n|$)/gm, "").trim();

const titleLine = (text: string): string =>
	text
		.replaceAll(/[\p{Cc}\s]+/gu, " ")
		.trim()
		.slice(0, 250);
