import { describe, test } from "vitest";
import type { AgentEvent, HoldKind } from "#contract/agent.ts";
import { given, id } from "#test/support/given.ts";
import {
	decideConfigure,
	decideFail,
	decidePause,
	decideProvision,
	decideReap,
	decideRecover,
	decideResume,
} from "./decide.ts";

const held = (hold: HoldKind): AgentEvent => ({ kind: "agent.held", data: { hold, reason: "" } });
const failed = (step: string): AgentEvent => ({ kind: "agent.failed", data: { code: "INTERNAL_ERROR", step } });
const ended: AgentEvent = { kind: "agent.ended", data: { reason: "killed" } };
const pause = { type: "agent.pause", agent: id("a"), reason: "lunch" } as const;
const unheld = (...holds: HoldKind[]) => ({ kind: "agent.unheld", agent: id("a"), data: { holds } }) as const;

describe("pause", () => {
	test("adds a hold with its reason", () => {
		given()
			.when((agent) => decidePause(agent, pause))
			.gives({ kind: "agent.held", agent: id("a"), data: { hold: "user", reason: "lunch" } });
	});
	test("twice changes nothing", () => {
		given(held("user"))
			.when((agent) => decidePause(agent, pause))
			.gives();
	});
	test("of a dead agent is refused with where it is and where it was to go", () => {
		given(ended)
			.when((agent) => decidePause(agent, pause))
			.refuses("AGENT_INVALID_STATE", {
				details: { agent: id("a"), from: "dead", to: "paused", operation: "pause" },
				suggestions: ["brood agent status a"],
			});
	});
});

describe("configure", () => {
	const model = { type: "agent.configure", agent: id("a"), model: "opus" } as const;
	const settings = { systemPrompt: null, pinned: [], options: {} };
	test.each(["shell", "human"])("refuses a model for a %s agent, which has none", (type) => {
		given()
			.when((agent) => decideConfigure({ ...agent, type }, settings, model, []))
			.refuses("VALIDATION_ERROR", { details: { agent: id("a") } });
	});
});

describe("resume", () => {
	test("without a hold changes nothing", () => given().when(decideResume).gives());
	test("ends what people, interrupts, limits and crashes set", () => {
		given(held("user"), held("interrupt"), held("limit"), held("crash"))
			.when(decideResume)
			.gives(unheld("user", "interrupt", "limit", "crash"));
	});
	test("ends an error whose failed step had nothing to do with the workspace", () => {
		given(failed("process"), held("error")).when(decideResume).gives(unheld("error"));
	});
	test.each(["drift", "recovery"] as const)(
		"is refused while the workspace is %s, and ends nothing else either",
		(hold) => {
			given(held("user"), held(hold))
				.when(decideResume)
				.refuses("AGENT_INVALID_STATE", { details: { holds: [hold] }, suggestions: ["brood agent recover a"] });
		},
	);
	test("is refused after a failed checkout", () => {
		given(failed("workspace"), held("error"))
			.when(decideResume)
			.refuses("AGENT_INVALID_STATE", { suggestions: ["brood agent recover a"] });
	});
});

describe("recover", () => {
	test("clears the holds of errors and leaves those that people set", () => {
		given(held("user"), held("error"), held("crash"), held("drift"), held("recovery"))
			.when(decideRecover)
			.gives(unheld("error", "crash", "drift", "recovery"));
	});
	test("of a dead agent is refused", () => given(ended).when(decideRecover).refuses("AGENT_INVALID_STATE"));
});

describe("provisioning", () => {
	test("happens once", () =>
		given()
			.when((agent) => decideProvision(agent, { head: null }))
			.gives());
	test("that fails holds the agent and remembers the step", () => {
		given()
			.when((agent) =>
				decideFail(agent, {
					type: "agent.fail",
					agent: id("a"),
					code: "PATH_EXISTS",
					step: "worktree",
					reason: "there is a folder",
				}),
			)
			.gives(
				{ kind: "agent.failed", agent: id("a"), data: { code: "PATH_EXISTS", step: "worktree" } },
				{ kind: "agent.held", agent: id("a"), data: { hold: "error", reason: "there is a folder" } },
			);
	});
});

describe("reap", () => {
	test("hides an ended agent", () =>
		given(ended)
			.when(decideReap)
			.gives({ kind: "agent.reaped", agent: id("a") }));
	test("twice changes nothing", () => given(ended, { kind: "agent.reaped" }).when(decideReap).gives());
	test("of a living agent is refused", () =>
		given()
			.when(decideReap)
			.refuses("AGENT_INVALID_STATE", { details: { from: "idle" } }));
});
