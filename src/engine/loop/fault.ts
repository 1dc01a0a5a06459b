// Which refusal a fault becomes for the caller. An error that is not known here is a bug.
import { messageOf } from "#contract/message-of.ts";
import { type Refusal, refusalCodes, refuse } from "#contract/refusal.ts";
import { StoreFault } from "../ports/store.ts";

/**
 * The refusal for a full disk, an unavailable, denied or broken store, a module that an upgrade removed, and errors
 * whose adapter names a `refusalCode`; null for anything else. An error's causes are examined too.
 */
export function faultRefusal(error: unknown): Refusal | null {
	for (let each = error, depth = 0; each instanceof Error && depth < causesMax; each = each.cause, depth++) {
		const found = each instanceof StoreFault ? ofStore(each) : (ofSystem(each) ?? named(each));
		if (found !== null) return found;
	}
	return null;
}

const causesMax = 5;

/** The same, with INTERNAL_ERROR for a bug, for callers that continue after it. */
export function errorRefusal(error: unknown): Refusal {
	const message = messageOf(error);
	return faultRefusal(error) ?? refuse("INTERNAL_ERROR", message.slice(0, 2000).toWellFormed());
}

function named(error: Error): Refusal | null {
	const code: unknown = "refusalCode" in error ? error.refusalCode : null;
	const suggestions = code === "REPOSITORY_UNUSABLE" ? ["brood project list", "brood doctor"] : [];
	return isCode(code) ? refuse(code, error.message.slice(0, 2000).toWellFormed(), { suggestions }) : null;
}

const isCode = (code: unknown): code is Refusal["code"] =>
	typeof code === "string" && Object.hasOwn(refusalCodes, code);

function ofStore({ kind, message }: StoreFault): Refusal | null {
	if (kind === "full") return refuse("DISK_FULL", message, { suggestions: ["df -h", "brood doctor"] });
	if (kind === "unavailable") return refuse("STORE_UNAVAILABLE", message);
	if (kind === "denied") return refuse("STORE_DENIED", message, { suggestions: ["brood doctor"] });
	return kind === "broken" ? refuse("STORE_UNUSABLE", message) : null;
}

function ofSystem(error: Error): Refusal | null {
	// a module that is loaded on first use: an upgrade replaces all files of a release
	if ("code" in error && error.code === "ERR_MODULE_NOT_FOUND")
		return refuse("CONFLICT", "Brood was upgraded while this daemon was running, and a file of this version is gone.", {
			suggestions: ["brood restart"],
		});
	const full =
		("code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")) ||
		/\bNo space left on device\b|\bdatabase or disk is full\b|\bDisk quota exceeded\b/.test(error.message);
	return full
		? refuse("DISK_FULL", `The disk is full: ${error.message}.`, { suggestions: ["df -h", "brood doctor"] })
		: null;
}
