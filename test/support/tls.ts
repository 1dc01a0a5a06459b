// A certificate for localhost that nobody trusts, valid for a hundred years.
import { chmodSync, copyFileSync } from "node:fs";
import path from "node:path";
import { freshFolder } from "./stores.ts";

/** A copy of the certificate or of its key, as a person would keep it. */
export function tlsFile(which: "cert" | "key"): string {
	const to = path.join(freshFolder(), `${which}.pem`);
	copyFileSync(path.join(import.meta.dirname, "tls", `${which}.pem`), to);
	chmodSync(to, 0o600);
	return to;
}
