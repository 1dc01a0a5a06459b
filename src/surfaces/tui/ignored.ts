// The folders that a `.gitignore` file leaves out, read without git. Rules that are rare (`a/**/b`, many stars, ranges
// of letters) are passed over: a file too many is offered, and none is missing.

export interface IgnoreRule {
	/** of each part of a path in the folder of the file; a single one may be at any depth */
	parts: readonly RegExp[];
	isAnywhere: boolean;
	isKept: boolean;
}

export const ignoreRules = (text: string): IgnoreRule[] => text.split(/\r?\n/).flatMap((line) => ruleOf(line) ?? []);

function ruleOf(line: string): IgnoreRule | null {
	const [, not, named = ""] = /^(!?)(?:\*\*\/)?(.*?)\/?\s*$/.exec(line) ?? [];
	if (named === "" || named.startsWith("#")) return null;
	const isDeep = /^!?\*\*\//.test(line);
	const names = named.replace(/^\//, "").split("/");
	const isRare = names.some((name) => name.split("*").length > 3 || /\*\*|[[\\]/.test(name));
	if (isRare || (isDeep && names.length > 1)) return null;
	return { parts: names.map(patternOf), isAnywhere: isDeep || !named.includes("/"), isKept: not === "!" };
}

const patternOf = (name: string): RegExp =>
	new RegExp(`^${RegExp.escape(name).replaceAll("\\*", ".*").replaceAll("\\?", ".")}$`, "s");

/** `folder`: its path in the folder of the rules, of which the last one counts. Null if they say nothing of it. */
export function isIgnored(rules: readonly IgnoreRule[], folder: string): boolean | null {
	const names = folder.split("/");
	const last = rules.findLast(({ parts, isAnywhere }) => {
		const compared = isAnywhere ? names.slice(-1) : names;
		return compared.length === parts.length && parts.every((part, at) => part.test(compared[at] ?? ""));
	});
	return last === undefined ? null : !last.isKept;
}
