// In one column or in two: as the person chose last in this browser, or else as the window is wide.
import type { Layout } from "./diff-rows.ts";

const key = "brood.review-layout";

export function layout(): Layout {
	const kept = localStorage.getItem(key);
	return kept === "side" || kept === "inline" ? kept : innerWidth < 1000 ? "inline" : "side";
}

export const keepLayout = (next: Layout): void => localStorage.setItem(key, next);
