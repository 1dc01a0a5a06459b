// Reading `config.yaml`: what is wrong in it is said with its line and column.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { isNode, LineCounter, parseDocument } from "yaml";
import { HomeConfig } from "#contract/config.ts";

/** The part of a schema that is needed here; the contract's schemas have it. */
interface Schema<T> {
	safeParse(
		value: unknown,
	): { success: true; data: T } | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string; keys?: unknown }[] } };
}

/** The file is there, but not as it should be; the message begins with where. */
export class ConfigError extends Error {
	override readonly name = "ConfigError";
}

export function readConfig(home: string): HomeConfig {
	const file = path.join(home, "config.yaml");
	return existsSync(file) ? parseConfig(HomeConfig, readFileSync(file, "utf8"), file) : {};
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
	const parsed = schema.safeParse(document.toJS() ?? {});
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	// a key that nobody knows is a fault of what it is in; the place to look at is the key's own
	const unknown = Array.isArray(issue?.keys) ? issue.keys.slice(0, 1) : [];
	const node: unknown = document.getIn([...(issue?.path ?? []), ...unknown], true);
	const offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
	throw new ConfigError(`${at(offset)}: ${[issue?.path.join("."), issue?.message].filter(Boolean).join(": ")}`);
}
