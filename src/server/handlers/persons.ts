// The routes of persons.
import type { CommandInput } from "#contract/command.ts";
import { pageWhere } from "#contract/page.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Person } from "#contract/wire.ts";
import { personView } from "#views/wire.ts";
import type { Handlers, RequestContext, ScopedRequest } from "../request-context.ts";

/** `changed` makes the listeners know what was changed, before the caller is answered. */
export function personHandlers(context: RequestContext, changed: () => Promise<void>) {
	const change = async (request: ScopedRequest, command: CommandInput): Promise<Person | Refusal> => {
		const done = await context.dispatch(request, command);
		if (isRefusal(done)) return done;
		await changed();
		if (done.person !== undefined) return personView(done.person);
		return refuse("INTERNAL_ERROR", "The command returned no person.");
	};
	const nameIn = ({ params }: ScopedRequest): string => params["person"] ?? "";
	return {
		me: async ({ actor, role }) => ({ actor, role }),
		persons: async ({ page }) =>
			await pageWhere(
				page,
				(part) => context.reads.listPersons(part),
				async (all) => all.map((each) => (each.removedAt === null ? personView(each) : undefined)),
			),
		personAdd: async (request) => await change(request, { type: "person.add", ...request.body }),
		personConfigure: async (request) =>
			await change(request, { type: "person.configure", name: nameIn(request), ...request.body }),
		personRemove: async (request) => await change(request, { type: "person.remove", name: nameIn(request) }),
	} satisfies Partial<Handlers>;
}
