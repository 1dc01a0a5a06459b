// Text as it is stored. A lone surrogate cannot be written as UTF-8, so it is replaced on the way in: what is published
// is what the journal has.
import { z } from "zod";

export const Text = z.string().overwrite((text) => text.toWellFormed());

export const Reason = Text.max(1000);
/** Of an issue: an agent has to work with it. */
export const IssueReason = Text.max(10_000);
