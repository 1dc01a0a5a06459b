// The platform APIs that the engine may use: timers and abort signals. Everything else comes through a port.
declare function setTimeout(call: () => void, delayMs: number): unknown;
declare function clearTimeout(timer: unknown): void;
declare function setImmediate(call: () => void): unknown;

interface AbortSignal {
	readonly aborted: boolean;
	addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
	removeEventListener(type: "abort", listener: () => void): void;
}

declare class AbortController {
	readonly signal: AbortSignal;
	abort(): void;
}

declare const AbortSignal: { any(signals: readonly AbortSignal[]): AbortSignal };
