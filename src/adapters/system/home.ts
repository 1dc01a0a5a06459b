// The home's random id: the mark by which its processes are told from everybody else's.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

export function homeId(home: string, fresh: string): string {
	const file = path.join(home, "id");
	try {
		// made by the first start and never changed; of several starts at once the first one's stays
		writeFileSync(file, fresh, { flag: "wx", mode: 0o600 });
	} catch {
		// it is there, or the next line says why it cannot be
	}
	return readFileSync(file, "utf8").trim();
}
