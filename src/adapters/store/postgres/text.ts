// PostgreSQL's text cannot hold NUL, which a program's output may well contain. NUL is written as two
// characters that begin with a private-use one, and that one is doubled where it stands for itself.
import type { Value } from "../sql/prepared.ts";

const escapeCharacter = "\ue000";
const needsEncoding = /[\0\ue000]/;

export function encode(value: Value): Value {
	if (typeof value !== "string" || !needsEncoding.test(value)) return value;
	return value.replace(/[\0\ue000]/g, (character) =>
		character === escapeCharacter ? escapeCharacter + escapeCharacter : `${escapeCharacter}0`,
	);
}

export function decode(row: unknown): unknown {
	if (typeof row !== "object" || row === null) return row;
	for (const [name, value] of Object.entries(row)) {
		if (typeof value === "string" && value.includes(escapeCharacter)) Object.assign(row, { [name]: plain(value) });
	}
	return row;
}

const plain = (text: string): string =>
	text.replace(/\ue000(.)/gu, (_, character: string) => (character === "0" ? "\0" : character));
