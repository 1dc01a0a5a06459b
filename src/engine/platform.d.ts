// All that the engine may use of the platform it runs on: timers and abort signals. Whatever is missing here
// has to come through a port.
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
