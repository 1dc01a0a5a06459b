import { expect, test } from "vitest";
import { reviewPrompt } from "./review.ts";

test("a review becomes one prompt that names every file and line and quotes the lines", () => {
	const at = { path: "src/a.ts", side: "new" as const };
	expect(
		reviewPrompt({
			summary: "Nearly there.\n",
			comments: [
				{ ...at, from: 3, to: 4, code: "one\ntwo", text: "Say why." },
				{ ...at, from: 9, to: 9, side: "old", code: "", text: "Keep this." },
				{ ...at, from: null, to: null, code: "", text: "Add a test." },
			],
		}),
	).toBe(`Nearly there.

Your work was reviewed, with 3 comments. Address each, then commit.

src/a.ts, lines 3 to 4:
> one
> two

Say why.

src/a.ts, line 9 (as it was before):
Keep this.

src/a.ts:
Add a test.`);
});
