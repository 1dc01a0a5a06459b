// Any JSON value. One schema, so that descriptions of the contract can refer to it by name.
import { z } from "zod";

export const Json = z.json();
