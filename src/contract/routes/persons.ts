// Persons, and who is asking.
import { z } from "zod";
import { PersonName } from "../ids.ts";
import { PersonRole, TokenHash } from "../person.ts";
import { Me, Person } from "../wire.ts";
import { get, post, remove } from "./route.ts";

export const personRoutes = {
	me: get("/api/me", "show who is asking, and with which role", { answer: Me }),
	persons: get("/api/persons", "list people who have a token", { answer: z.array(Person) }),
	personAdd: post("/api/persons", "add a person; the caller makes the token and sends only its hash", {
		role: "admin",
		body: z.strictObject({ name: PersonName, role: PersonRole.optional(), tokenHash: TokenHash }),
		answer: Person,
	}),
	personConfigure: post(
		"/api/persons/:person/configure",
		"change a person's role or token; an old token is refused from then on",
		{
			role: "admin",
			body: z.strictObject({ role: PersonRole.optional(), tokenHash: TokenHash.optional() }),
			answer: Person,
		},
	),
	personRemove: remove("/api/persons/:person", "remove a person; the token is refused from then on", {
		role: "admin",
		answer: Person,
	}),
};
