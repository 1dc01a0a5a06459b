// Messages between agents and people: approvals, waits, mail.
import { z } from "zod";
import { EventId, ProjectSlug } from "../ids.ts";
import { conditions } from "../wait.ts";
import { Approval, Mail, Wait } from "../wire.ts";
import { Reason, Reference, route } from "./route.ts";

export const messagingRoutes = {
	approvals: route({
		method: "get",
		path: "/api/approvals",
		summary: "pending approvals, oldest first",
		query: z.strictObject({ agent: z.string().optional(), project: ProjectSlug.optional() }),
		answer: z.array(Approval),
	}),
	approval: route({
		method: "get",
		path: "/api/approvals/:approval",
		summary: "one question, whole, and its answer if it has one",
		answer: Approval,
	}),
	approvalAnswer: route({
		method: "post",
		path: "/api/approvals/:approval",
		summary: "allow it or deny it, once; `always` answers the same question in advance",
		body: z.strictObject({ allow: z.boolean(), always: z.boolean().default(false), reason: Reason }),
		answer: Approval,
	}),
	waitOpen: route({
		method: "post",
		path: "/api/waits",
		summary: "wait for agents; `children` stands for the caller's own",
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
	wait: route({
		method: "get",
		path: "/api/waits/:wait",
		summary: "one wait; with `block` answered when it is over, or after half a minute as it is then",
		query: z.strictObject({ block: z.stringbool().default(false) }),
		answer: Wait,
		agents: true,
	}),
	waitCancel: route({
		method: "delete",
		path: "/api/waits/:wait",
		summary: "wait no longer",
		answer: Wait,
		agents: true,
	}),
	send: route({
		method: "post",
		path: "/api/agents/:agent/mail",
		summary: "send it a mail",
		query: z.strictObject(Reference),
		body: z.strictObject({ body: z.string().min(1), urgent: z.boolean().default(false) }),
		answer: Mail,
		agents: true,
	}),
	mail: route({
		method: "get",
		path: "/api/agents/:agent/mail",
		summary: "its mail, oldest first",
		query: z.strictObject(Reference),
		answer: z.array(Mail),
		agents: true,
	}),
	mailRead: route({
		method: "post",
		path: "/api/agents/:agent/mail/read",
		summary: "take the unread mail, oldest first; each is given out once",
		query: z.strictObject(Reference),
		body: z.strictObject({ mail: EventId.optional() }),
		answer: z.array(Mail),
		agents: true,
	}),
	mailDelete: route({
		method: "delete",
		path: "/api/agents/:agent/mail/:mail",
		summary: "delete a mail",
		query: z.strictObject(Reference),
		answer: Mail,
		agents: true,
	}),
};
