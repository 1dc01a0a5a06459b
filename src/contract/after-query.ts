// A cursor in the query of a request: after which event or row a list, the journal or the stream goes on.
import { z } from "zod";

/** An empty one is refused: as a number it would be 0, from where the whole journal is sent. */
export const AfterQuery = z.preprocess(
	(given) => (typeof given === "string" && given.trim() === "" ? Number.NaN : given),
	z.coerce.number().int().nonnegative(),
);
