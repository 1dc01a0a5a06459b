/** What the daemon and its clients must agree on. */
export const contractVersion = 1;
