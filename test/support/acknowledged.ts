// The comparison behind every crash test: what was acknowledged is there, once, in order.
import { expect } from "vitest";
import type { Event } from "#contract/event.ts";

export function acknowledged(lines: readonly string[]): { id: number; text: string }[] {
	return lines.flatMap((line) => {
		const [, id, text] = /^ack (\d+) (\S+)$/.exec(line) ?? [];
		return id === undefined || text === undefined ? [] : [{ id: Number(id), text }];
	});
}

export function expectNothingLost(acks: readonly { id: number; text: string }[], events: readonly Event[]): void {
	const texts = new Map(events.map((event) => [event.id, event.text]));
	const lost = acks.filter(({ id, text }) => texts.get(id) !== text);
	expect(lost).toEqual([]);
	const written = events.flatMap((event) => (event.kind === "user" ? [event.text] : []));
	expect(written.length - new Set(written).size, "items that were written twice").toBe(0);
	expect(events.map((event) => event.id)).toEqual([...events.map((event) => event.id)].sort((a, b) => a - b));
}
