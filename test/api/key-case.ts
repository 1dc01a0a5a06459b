// What a case of keys is: one request, what else would be another payload, and what happens afterwards.
import type { RouteName, Routes } from "#contract/routes.ts";
import type { Subjects } from "./key-subjects.ts";

export type Changing = { [N in RouteName]: Routes[N]["method"] extends "get" ? never : N }[RouteName];

export interface Asking {
	params?: Readonly<Record<string, string>>;
	query?: object;
	body?: object;
}

export interface Case extends Asking {
	/** another payload under the same key, where there is one */
	other?: Asking;
	/** what is asked at the same moment has another token by then */
	alone?: true;
	/** what happens to the same thing after the first answer */
	after?: () => Promise<unknown>;
	/** refused on purpose: what a refusal was is remembered as well */
	refused?: true;
}

export type Make = (subjects: Subjects) => Promise<Case>;

/** Asked with one body, and under the same key with another. */
export const bodies = (on: Asking, body: object, other: object, after?: Case["after"]): Case => ({
	...{ ...on, body, other: { ...on, body: other } },
	...(after !== undefined && { after }),
});

export const reason = { query: { reason: "another" } };
