// Where the temporary folders of a test file are: in memory where there is room, for files that write much and start no
// sandbox. A sandbox has a /dev of its own, and an empty /tmp.
import { expect, inject } from "vitest";

const inMemory = [
	"api/keys",
	"conformance/store",
	"crash/postgres",
	"crash/sqlite",
	"history/replay",
	"turns/model",
	"turns/once",
	"workspaces/approve",
	"workspaces/crash",
	"workspaces/cut-off",
	"workspaces/keeping",
	"workspaces/names",
	"workspaces/remotes",
	"workspaces/traps",
].map((name) => `/test/${name}.test.ts`);

const file = expect.getState().testPath ?? "";
process.env["TMPDIR"] = inMemory.some((name) => file.endsWith(name)) ? inject("memory") : inject("disk");
