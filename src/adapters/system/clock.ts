import type { Clock } from "#engine/ports.ts";

export const systemClock: Clock = { now: () => Date.now() };
