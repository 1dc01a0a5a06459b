import type { Read } from "../store/hooks.ts";
import { Button } from "./button.tsx";

/** In one line: what could not be read, beside something that works without it. */
export function RefusedNote({ read, what }: { read: Read<unknown>; what: string }) {
	if (read.state !== "failed") return null;
	return (
		<span className="bar" role="status">
			<span className="tone-wait">
				{what}: {read.refusal.message}
			</span>
			<Button about={what} onClick={read.again}>
				Try again
			</Button>
		</span>
	);
}
