// The vendors whose agents Brood drives. A name that the contract has and that is missing here does not compile.
import type { VendorType } from "#contract/agent-type.ts";
import { claude } from "./claude/claude.ts";
import { codex } from "./codex/codex.ts";
import { gemini } from "./gemini/gemini.ts";
import { opencode } from "./opencode/opencode.ts";
import type { Vendor } from "./vendor.ts";

const known: Readonly<Record<VendorType, Vendor>> = { claude, codex, gemini, opencode };

/** By agent type. */
export const vendors: Readonly<Record<string, Vendor>> = known;
export const allVendors: readonly Vendor[] = Object.values(known);
