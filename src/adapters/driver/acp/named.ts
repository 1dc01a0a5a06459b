// The files that a call's input names, at any depth. A field that is not in these lists may be a command or the name of
// a file, so a call with such a field needs an approval.

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Fields with the name of a file or a folder, or a pattern. */
const pathNames = words(`
	path paths file files file_path filePath filepath filename fileName relativePath relative_path abs_path absolute_path
	notebook_path notebookPath dir directory folder cwd parentDir dir_path source destination from to target old_path
	new_path oldPath newPath move_path movePath pattern glob include exclude query regex
`);
/** Fields with text that is written to or searched in a file; only of a tool that edits. */
const textNames = words(`
	content contents text old_string new_string oldString newString old_str new_str oldText newText old new old_text
	new_text old_source new_source file_text insert_text
`);
/** Fields with a patch, which names its files. */
const patchNames = words("diff patch unified_diff patchText");
/** Fields with one of a few words. */
const choiceNames = words("type kind status tool edit_mode cell_type cell_id output_mode operation");
/** Fields that hold further fields. */
const groupNames = words("input arguments edits changes");

const depthMax = 16;
const pathsMax = 1000;

/** Null if there is an unknown field in it. */
export function pathsIn(tool: string, input: unknown): string[] | null {
	const paths = new Set<string>();
	const isUnderstood = (value: unknown, name: string, depth: number): boolean => {
		if (
			value === undefined ||
			value === null ||
			typeof value === "number" ||
			typeof value === "boolean" ||
			value === ""
		)
			return true;
		if (typeof value === "string") {
			const named = namedBy(tool, name, value);
			for (const file of named ?? []) paths.add(file);
			return named !== null && paths.size <= pathsMax;
		}
		if (typeof value !== "object" || depth > depthMax) return false;
		if (Array.isArray(value)) return value.every((each: unknown) => isUnderstood(each, name, depth + 1));
		return Object.entries(value).every(([key, each]: [string, unknown]) => {
			// an unknown key is a file name, as in a list of changes by file
			if (!isField(key)) paths.add(key);
			return isUnderstood(each, key, depth + 1);
		});
	};
	return isUnderstood(input, "", 0) && paths.size <= pathsMax ? [...paths] : null;
}

const isField = (name: string): boolean =>
	[pathNames, textNames, patchNames, choiceNames, groupNames].some((names) => names.has(name));

function namedBy(tool: string, name: string, text: string): readonly string[] | null {
	if (pathNames.has(name)) return [text];
	if (textNames.has(name)) return tool === "edit" ? [] : null;
	if (patchNames.has(name)) return tool === "edit" ? filesOfPatch(text) : null;
	return choiceNames.has(name) && /^[\w-]{1,64}$/.test(text) ? [] : null;
}

/** The files in the headers of a patch, in the formats of diff, git and the models. Lines of a hunk are not headers. */
export function filesOfPatch(patch: string): string[] | null {
	const files: string[] = [];
	let [before, after] = [0, 0];
	for (const line of patch.split("\n")) {
		if (before > 0 || after > 0) {
			if (!line.startsWith("+")) before -= line.startsWith("\\") ? 0 : 1;
			if (!line.startsWith("-")) after -= line.startsWith("\\") ? 0 : 1;
			continue;
		}
		const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
		if (hunk !== null) [before, after] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
		if (before < 0 || after < 0) return null;
		const [, file] = header.exec(line) ?? [];
		if (file === undefined || file === "/dev/null") continue;
		// git quotes unusual names
		if (file.startsWith('"')) return null;
		files.push(file, ...(/^[ab]\//.test(file) ? [file.slice(2)] : []));
	}
	// a hunk that is longer than the patch could hide a header
	return before === 0 && after === 0 ? files : null;
}

const header =
	/^(?:--- |\+\+\+ |Index: |(?:rename|copy) (?:from|to) |\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: )([^\t\r]+)/;
