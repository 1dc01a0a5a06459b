// Where the temporary folders of a test file are: in memory where there is room, for files that write much and start no
// sandbox. A sandbox has a /dev of its own, and an empty /tmp.
import { expect, inject } from "vitest";

const inMemory = [
	"api/cli",
	"api/keys",
	"api/small",
	"conformance/store",
	"crash/daemon",
	"crash/postgres",
	"crash/sqlite",
	"faults/projects",
	"history/replay",
	"issues/daemon",
	"slots/claims",
	"slots/daemon",
	"turns/daemon",
	"turns/model",
	"turns/once",
	"workspaces/approve",
	"workspaces/crash",
	"workspaces/cut-off",
	"workspaces/cycle",
	"workspaces/daemon",
	"workspaces/damage",
	"workspaces/flat",
	"workspaces/hostile-cycle",
	"workspaces/keeping",
	"workspaces/names",
	"workspaces/project",
	"workspaces/provision",
	"workspaces/remotes",
	"workspaces/retention",
	"workspaces/traps",
].map((name) => `/test/${name}.test.ts`);

const file = expect.getState().testPath ?? "";
process.env["TMPDIR"] = inMemory.some((name) => file.endsWith(name)) ? inject("memory") : inject("disk");
