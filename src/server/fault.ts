// What a failure of the world means for whoever asked. What is not known here is a bug, and told as one.
import { type Refusal, refuse } from "#contract/refusal.ts";
import { StoreFault } from "#engine/ports.ts";

/** The refusal for a full disk, a store that is away or cannot be used; null for anything else. Causes count as well. */
export function faultRefusal(error: unknown): Refusal | null {
	for (let each = error, depth = 0; each instanceof Error && depth < causesMax; each = each.cause, depth++) {
		const found = each instanceof StoreFault ? ofStore(each) : ofSystem(each);
		if (found !== null) return found;
	}
	return null;
}

const causesMax = 5;

function ofStore({ kind, message }: StoreFault): Refusal | null {
	if (kind === "full") return refuse("DISK_FULL", message, { suggestions: ["df -h", "brood doctor"] });
	if (kind === "unavailable") return refuse("STORE_UNAVAILABLE", message);
	return kind === "broken" ? refuse("STORE_UNUSABLE", message) : null;
}

function ofSystem(error: Error): Refusal | null {
	const full =
		("code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")) || /\bNo space left on device\b|\bDisk quota exceeded\b/.test(error.message);
	return full ? refuse("DISK_FULL", `The disk is full: ${error.message}.`, { suggestions: ["df -h", "brood doctor"] }) : null;
}
