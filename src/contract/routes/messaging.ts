// What agents and people ask and tell each other: approvals, waits, mail.
import { z } from "zod";
import { ApprovalAnswer } from "../approval.ts";
import { EventId, ProjectSlug } from "../ids.ts";
import { filterOrLookup } from "../stream.ts";
import { conditions } from "../wait.ts";
import { Approval, Mail, Wait } from "../wire.ts";
import { get, OptionalReason, ofAgent, post, remove } from "./route.ts";

export const messagingRoutes = {
	approvals: get("/api/approvals", "list pending approvals, oldest first", {
		query: z.strictObject({ agent: z.string().optional(), project: filterOrLookup }),
		answer: z.array(Approval),
	}),
	approval: get("/api/approvals/:approval", "show one approval, and its answer if it has one", { answer: Approval }),
	approvalAnswer: post(
		"/api/approvals/:approval",
		"allow or deny what the agent asks for; `always` answers the same question in advance, `prefix` all commands with these first words",
		{
			body: z.strictObject({
				allow: z.boolean(),
				always: z.boolean().default(false),
				prefix: ApprovalAnswer.shape.prefix,
				reason: OptionalReason,
			}),
			answer: Approval,
		},
	),
	waitOpen: post("/api/waits", "wait for agents; `children` stands for the caller's own", {
		body: z.strictObject({
			agents: z.array(z.string()).max(100).default([]),
			children: z.boolean().default(false),
			project: ProjectSlug.optional(),
			for: z.enum(conditions).default("idle"),
			mode: z.enum(["all", "any"]).default("all"),
			timeoutMs: z
				.int()
				.nonnegative()
				.max(30 * 24 * 60 * 60 * 1000)
				.optional(),
		}),
		answer: Wait,
		agents: true,
	}),
	wait: get(
		"/api/waits/:wait",
		"show a wait; with `block`, answers when it is over, after half a minute at the latest",
		{ query: z.strictObject({ block: z.stringbool().default(false) }), answer: Wait, agents: true },
	),
	waitCancel: remove("/api/waits/:wait", "cancel a wait", { answer: Wait, agents: true }),
	send: ofAgent.post("/mail", "send an agent a mail", {
		body: z.strictObject({ body: z.string().min(1), urgent: z.boolean().default(false) }),
		answer: Mail,
		agents: true,
	}),
	mail: ofAgent.get("/mail", "list an agent's mail, oldest first", { answer: z.array(Mail), agents: true }),
	mailRead: ofAgent.post("/mail/read", "take the unread mail, oldest first; each is given out once", {
		body: z.strictObject({ mail: EventId.optional() }),
		answer: z.array(Mail),
		agents: true,
	}),
	mailDelete: ofAgent.remove("/mail/:mail", "delete a mail", { answer: Mail, agents: true }),
};
