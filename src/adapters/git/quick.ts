/**
 * Settings for writing a whole working tree: every processor writes, and nothing is flushed, since after a crash it is simply
 * done again. Flushing one ref behind twenty thousand new files would wait for all of them.
 */
export const quickCheckout: readonly string[] = ["-c", "checkout.workers=0", "-c", "core.fsync=none"];
