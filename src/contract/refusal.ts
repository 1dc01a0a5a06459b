// Every reason why a command is refused, with its HTTP status and exit code. A refusal is an expected answer: a value,
// not an exception. It is recorded in the receipt unless it is `retryable`, so that the same command may succeed later.
// Nothing here loads zod: the command line does without it, because loading it takes longer than most commands.
import type { z } from "zod";

export interface Refusal {
	code: RefusalCode;
	/** one sentence for a person */
	message: string;
	details: Record<string, z.core.util.JSONType>;
	/** what to try next: commands, not all of them harmless, or what to do by hand */
	suggestions: string[];
}

export const refusalCodes = {
	AGENT_BUSY: { status: 409, exit: 1, retryable: true },
	AGENT_INVALID_STATE: { status: 409, exit: 1, retryable: false },
	AGENT_LIMIT: { status: 429, exit: 1, retryable: true },
	AGENT_NO_COMMIT: { status: 409, exit: 1, retryable: false },
	AGENT_NOT_FOUND: { status: 404, exit: 1, retryable: false },
	ALREADY_DEAD: { status: 409, exit: 1, retryable: false },
	AMBIGUOUS_REF: { status: 409, exit: 1, retryable: false },
	APPROVAL_LIMIT: { status: 429, exit: 1, retryable: true },
	BLOB_GONE: { status: 410, exit: 1, retryable: true },
	BUDGET_EXCEEDED: { status: 409, exit: 1, retryable: false },
	CANNOT_KILL_ANCESTOR: { status: 403, exit: 1, retryable: false },
	CANNOT_KILL_ROOT: { status: 403, exit: 1, retryable: false },
	CONFLICT: { status: 409, exit: 1, retryable: false },
	DAEMON_UNREACHABLE: { status: 503, exit: 1, retryable: true },
	DISK_FULL: { status: 507, exit: 1, retryable: true },
	FORBIDDEN: { status: 403, exit: 1, retryable: false },
	FORK_BUSY: { status: 409, exit: 1, retryable: true },
	GIT_FAILED: { status: 500, exit: 1, retryable: true },
	HISTORY_BROKEN: { status: 500, exit: 1, retryable: false },
	HOME_UNUSABLE: { status: 500, exit: 1, retryable: true },
	INSTALL_FAILED: { status: 502, exit: 1, retryable: true },
	INTERNAL_ERROR: { status: 500, exit: 1, retryable: true },
	INVALID_TRANSITION: { status: 400, exit: 1, retryable: false },
	ITEM_NOT_IN_CONTEXT: { status: 409, exit: 1, retryable: false },
	MAILBOX_FULL: { status: 429, exit: 1, retryable: true },
	MARK_NOT_FOUND: { status: 404, exit: 1, retryable: false },
	MERGE_CONFLICT: { status: 409, exit: 1, retryable: false },
	NODE_DOWN: { status: 503, exit: 1, retryable: true },
	NO_SLOT: { status: 429, exit: 1, retryable: true },
	NOT_FOUND: { status: 404, exit: 1, retryable: false },
	NOT_LOGGED_IN: { status: 502, exit: 1, retryable: true },
	NOT_RUNNING: { status: 409, exit: 1, retryable: false },
	PATH_EXISTS: { status: 409, exit: 1, retryable: false },
	PROCESS_FAILED: { status: 500, exit: 1, retryable: true },
	PROGRAM_MISSING: { status: 502, exit: 1, retryable: true },
	QUEUE_FULL: { status: 429, exit: 1, retryable: true },
	READER_LIMIT: { status: 429, exit: 1, retryable: true },
	RECIPIENT_DEAD: { status: 409, exit: 1, retryable: false },
	REPOSITORY_UNUSABLE: { status: 410, exit: 1, retryable: true },
	SNAPSHOT_GONE: { status: 410, exit: 1, retryable: false },
	SNAPSHOT_INCOMPLETE: { status: 409, exit: 1, retryable: false },
	STORE_DENIED: { status: 503, exit: 1, retryable: true },
	STORE_UNAVAILABLE: { status: 503, exit: 1, retryable: true },
	STORE_UNUSABLE: { status: 500, exit: 1, retryable: true },
	TIMEOUT: { status: 504, exit: 124, retryable: true },
	TOO_LARGE: { status: 413, exit: 1, retryable: false },
	TURN_NOT_OPEN: { status: 409, exit: 1, retryable: false },
	UNAUTHORIZED: { status: 401, exit: 1, retryable: false },
	VALIDATION_ERROR: { status: 400, exit: 1, retryable: false },
	WAIT_CYCLE: { status: 409, exit: 1, retryable: false },
	WORKTREE_DIRTY: { status: 409, exit: 1, retryable: false },
} as const satisfies Record<string, { status: number; exit: number; retryable: boolean }>;

export type RefusalCode = keyof typeof refusalCodes;

/** Also of a code that this version does not know: a newer daemon has said it, or something between. */
export const propertiesOf = (code: RefusalCode): { exit: number; retryable: boolean } =>
	Object.hasOwn(refusalCodes, code) ? refusalCodes[code] : { exit: 1, retryable: false };

export function refuse(
	code: RefusalCode,
	message: string,
	more: { details?: Refusal["details"]; suggestions?: string[] } = {},
): Refusal {
	return { code, message, details: more.details ?? {}, suggestions: more.suggestions ?? [] };
}

export function isRefusal<T extends object>(value: T | Refusal): value is Refusal {
	return "code" in value && "suggestions" in value;
}
