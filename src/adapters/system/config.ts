// Reading `config.yaml`: what is wrong in it is said with its line and column.
import path from "node:path";
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml";
import { HomeConfig } from "#contract/config.ts";
import { NotRegular, readRegularText } from "./regular-file.ts";

const bytesMax = 1024 * 1024;

/** The part of a schema that is needed here; the contract's schemas have it. */
interface Schema<T> {
	safeParse(value: unknown):
		| { success: true; data: T }
		| {
				success: false;
				error: { issues: readonly { path: readonly PropertyKey[]; message: string; keys?: unknown }[] };
		  };
}

/** The file is there, but not as it should be; the message begins with where. */
export class ConfigError extends Error {
	override readonly name = "ConfigError";
}

export async function readConfig(home: string): Promise<HomeConfig> {
	return await readSettings(HomeConfig, path.join(home, "config.yaml"));
}

/**
 * What is not there says nothing. What is there and cannot be read must not count as saying nothing: it may ask for a
 * sandbox.
 */
export async function readSettings<T>(schema: Schema<T>, file: string): Promise<T> {
	const text = await readRegularText(file, { follow: true, bytesMax }).catch((error: Error & { code?: string }) => {
		if (error.code === "ENOENT" && !(error instanceof NotRegular)) return "";
		throw new ConfigError(
			`${file}: ${error instanceof NotRegular ? `it is no file, or larger than ${bytesMax} bytes` : `it cannot be read: ${error.message}`}`,
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
	// a key that nobody knows is a fault of what it is in; the place to look at is the key's own
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
		throw new ConfigError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
	}
}
