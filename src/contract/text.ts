// Words as they are stored. A lone half of a surrogate pair cannot be written as UTF-8, so it is replaced here, before
// anybody has seen it: what is published is what the journal has.
import { z } from "zod";

export const Text = z.string().overwrite((text) => text.toWellFormed());

/** Why somebody did it, in their own words. */
export const Reason = Text.max(1000);
