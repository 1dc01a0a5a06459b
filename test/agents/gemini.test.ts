import { kits } from "./kits.ts";
import { suite } from "./suite.ts";

suite(kits.gemini);
