// A certificate for localhost that nobody trusts, valid for a hundred years.
import { chmodSync, copyFileSync } from "node:fs";
import path from "node:path";

/** Copies the certificate or its key to a folder, as a person would keep it. */
export function tlsFile(folder: string, which: "cert" | "key"): string {
	const to = path.join(folder, `${which}.pem`);
	copyFileSync(path.join(import.meta.dirname, "tls", `${which}.pem`), to);
	chmodSync(to, 0o600);
	return to;
}
