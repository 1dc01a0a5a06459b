// Any JSON value: one schema, so that the OpenAPI document can refer to it by name.
import { z } from "zod";

export const Json = z.json();
