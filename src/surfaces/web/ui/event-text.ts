// What an event says, on one line, for people: its text, or its data as fields with times in words.
import type { WireEvent } from "#contract/wire.ts";

type Moment = (at: string) => string;

/** Both. */
export const detailsOf = ({ text, data }: Pick<WireEvent, "text" | "data">, moment: Moment): string =>
	[text ?? "", fieldsOf(data, moment)].filter(Boolean).join(" ");

/** The data only where there is no text. */
export const summaryOf = ({ text, data }: Pick<WireEvent, "text" | "data">, moment: Moment): string =>
	text === null || text.trim() === "" ? fieldsOf(data, moment) : text;

/** `position: 1, until: 14:20, hold (kind: user)`; what is empty is left out. */
function fieldsOf(data: unknown, moment: Moment): string {
	if (typeof data !== "object" || data === null) return data === null || data === undefined ? "" : String(data);
	return Object.entries<unknown>({ ...data })
		.flatMap(([name, value]) => {
			const text = valueText(value, moment);
			return text === "" ? [] : [text.startsWith("(") ? `${name} ${text}` : `${name}: ${text}`];
		})
		.join(", ");
}

function valueText(value: unknown, moment: Moment): string {
	if (value === null || value === undefined) return "";
	if (Array.isArray(value)) return value.map((each) => valueText(each, moment)).join(" ");
	if (typeof value !== "object") return isTime(value) ? moment(new Date(value).toISOString()) : String(value);
	const fields = fieldsOf(value, moment);
	return fields === "" ? "" : `(${fields})`;
}

/** Milliseconds since 1970: no count or position is as large. */
const isTime = (value: unknown): value is number => typeof value === "number" && value > 1e12 && value < 1e13;
