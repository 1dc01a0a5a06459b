import { expect, test } from "vitest";
import { defaultWorkSettings } from "#contract/project.ts";
import { presetsView } from "#views/issue.ts";
import { presetLines } from "./print-issues.ts";

test("a preset is listed with the stages in which nothing happens until an issue is started", () => {
	const lines = presetLines(presetsView(defaultWorkSettings));
	expect(lines).toContain(
		"lean (default)\n  TODO → IN_PROGRESS → IN_REVIEW → DONE\n  issues wait in TODO until they are started\n",
	);
	expect(lines).toContain("\n  issues wait in BACKLOG and TODO until they are started");
});
