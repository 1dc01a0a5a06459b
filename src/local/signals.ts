// The signals that commands send to the daemon, besides SIGTERM and SIGINT.

/** Wait for the running turns, however long they take, and stop. */
export const drainSignal = "SIGUSR2";

/**
 * A command of a newer version asks to be served by its own: see `daemon/upgrade.ts`. A process without a handler
 * ignores it.
 */
export const upgradeSignal = "SIGURG";
