// The prompt of a stage: its template, then messages, comments and documents.
import { documentPath, type EntryState, type IssueState } from "#contract/issue.ts";
import type { Stage } from "#contract/preset.ts";
import { quote } from "#contract/quote.ts";
import { slug } from "../agent/handle.ts";
import type { TemplateVariable } from "../preset.ts";

export interface PromptFacts {
	/** made since the last run began, oldest first */
	comments: readonly EntryState[];
	/** the newest version of each */
	documents: readonly EntryState[];
	/** for this stage, not delivered yet */
	messages: readonly EntryState[];
	folder: string | null;
}

export function stagePrompt(
	issue: IssueState,
	stage: Stage,
	{ comments, documents, messages, folder }: PromptFacts,
): string {
	return [
		filled(stage.prompt ?? "", issue),
		...(messages.length === 0 ? [] : ["", "Messages for this stage:", ...messages.map(quoted)]),
		...(comments.length === 0 ? [] : ["", "Comments since:", ...comments.map(quoted)]),
		...(documents.length === 0
			? []
			: [
					"",
					folder === null ? "Documents of this issue:" : "Documents of this issue, in its folder:",
					...documents.map(({ name, version }) => `- ${documentPath(name ?? "")} (version ${version})`),
				]),
		...(folder === null ? [] : ["", "Its folder, with `context`, `specs` and `ai_docs`:", folder]),
	].join("\n");
}

const filled = (template: string, issue: IssueState): string => {
	const values: Record<TemplateVariable, string> = {
		project: issue.project,
		number: String(issue.number),
		title: issue.title,
		body: issue.body,
		stage: issue.stage,
		branch: issue.branch ?? branchOf(issue),
	};
	return template.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) =>
		isVariable(name, values) ? values[name] : whole,
	);
};

const isVariable = (name: string, values: Record<TemplateVariable, string>): name is TemplateVariable =>
	Object.hasOwn(values, name);

/** Quoted, so that an entry cannot pass for an instruction or the template. */
export const quoted = ({ by, text }: EntryState): string => quote(`from ${by}`, text);

/** `issue/12-replace-the-font` */
export function branchOf({ number, title }: Pick<IssueState, "number" | "title">): string {
	const words = slug(title);
	return words === "" ? `issue/${number}` : `issue/${number}-${words}`;
}
