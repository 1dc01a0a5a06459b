// Reads `config.yaml`. Errors have line and column.
import path from "node:path";
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml";
import { HomeConfig } from "#contract/config.ts";
import { mergedEnv, variablesOf } from "#contract/environment.ts";
import { messageOf } from "#contract/message-of.ts";
import { NotRegular, readRegularText } from "./regular-file.ts";

const bytesMax = 1024 * 1024;

/** The part of zod's schemas that is needed here. */
interface Schema<T> {
	safeParse(value: unknown):
		| { success: true; data: T }
		| {
				success: false;
				error: { issues: readonly { path: readonly PropertyKey[]; message: string; keys?: unknown }[] };
		  };
}

/** The file is invalid; the message begins with file, line and column. */
export class ConfigError extends Error {
	override readonly name = "ConfigError";
}

export async function readConfig(home: string): Promise<HomeConfig> {
	return await readSettings(HomeConfig, path.join(home, "config.yaml"));
}

/** The variables of the home's `env:` list and of a project's; a sentence if the home's cannot be read. */
export async function listedVariables(
	home: string,
	entries: readonly string[],
	from: NodeJS.ProcessEnv,
): Promise<Record<string, string> | string> {
	try {
		return variablesOf(mergedEnv((await readConfig(home)).env, entries), from);
	} catch (error) {
		if (error instanceof ConfigError) return error.message;
		throw error;
	}
}

/** A missing file is empty. A file that cannot be read is an error, because it may ask for a sandbox. */
export async function readSettings<T>(schema: Schema<T>, file: string): Promise<T> {
	const text = await readRegularText(file, { follow: true, bytesMax }).catch((error: Error & { code?: string }) => {
		if (error.code === "ENOENT" && !(error instanceof NotRegular)) return "";
		throw new ConfigError(
			`${file}: ${error instanceof NotRegular ? `it is not a file, or larger than ${bytesMax} bytes` : `it cannot be read: ${error.message}`}`,
		);
	});
	return parseConfig(schema, text, file);
}

export function parseConfig<T>(schema: Schema<T>, text: string, file: string): T {
	const lines = new LineCounter();
	const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
	const at = (offset: number): string => {
		const { line, col } = lines.linePos(offset);
		return `${file}:${line}:${col}`;
	};
	const [broken] = document.errors;
	if (broken !== undefined) throw new ConfigError(`${at(broken.pos[0])}: ${broken.message}`);
	const parsed = schema.safeParse(plainOf(document, file) ?? {});
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	// zod reports an unknown key at its object; the position should be the key's
	const unknown = Array.isArray(issue?.keys) ? issue.keys.slice(0, 1) : [];
	const around: unknown = document.getIn(issue?.path ?? [], true);
	const key = isMap(around)
		? around.items.map(({ key: each }) => each).find((each) => isScalar(each) && unknown.includes(each.value))
		: undefined;
	const node = key ?? around;
	const offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
	throw new ConfigError(`${at(offset)}: ${[issue?.path.join("."), issue?.message].filter(Boolean).join(": ")}`);
}

/** Aliases in a YAML document can expand without bound. */
function plainOf(document: Document, file: string): unknown {
	try {
		return document.toJS();
	} catch (error) {
		throw new ConfigError(`${file}: ${messageOf(error)}`);
	}
}
