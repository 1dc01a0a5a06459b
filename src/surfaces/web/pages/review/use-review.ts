// What a review keeps between visits: which files were viewed, and comments that were not sent yet. In the browser's
// own storage, by agent or issue.
import { useCallback, useEffect, useState } from "react";
import type { ReviewComment } from "#contract/review.ts";
import { type DiffFile, viewedText } from "#views/diff-lines.ts";
import type { DiffPages } from "./use-diff-pages.ts";

interface Draft {
	/** by path: the digest of what was viewed */
	marks: Readonly<Record<string, string>>;
	comments: readonly ReviewComment[];
}

const none: Draft = { marks: {}, comments: [] };

export interface ReviewDraft {
	/** the agent or issue that is reviewed */
	subject: string;
	/** by path: those that have not changed since, of the files whose lines are loaded */
	viewed: ReadonlySet<string>;
	comments: readonly ReviewComment[];
	toggleViewed(path: string): void;
	add(comment: ReviewComment): void;
	remove(comment: ReviewComment): void;
	/** Sends what no other tab has sent, and forgets it once `deliver` has answered true; answers the same. */
	send(deliver: (unsent: readonly ReviewComment[]) => Promise<boolean>): Promise<boolean>;
}

/** `load` gets a file whose lines are not loaded yet. */
export function useReviewDraft(
	subject: string,
	drawn: DiffPages["drawn"],
	load: (path: string) => Promise<DiffFile | null>,
): ReviewDraft {
	const key = `brood.review.${subject}`;
	const [draft, setDraft] = useState<Draft>(() => kept(key));
	useEffect(() => {
		setDraft(kept(key));
		const changed = (event: StorageEvent): void => {
			if (event.key === key) setDraft(kept(key));
		};
		addEventListener("storage", changed);
		return () => removeEventListener("storage", changed);
	}, [key]);
	const change = useCallback(
		(next: (draft: Draft) => Draft) => {
			// from the storage, where another tab may have written; and at once, since a page that is left renders no more
			const after = next(kept(key));
			keep(key, after);
			setDraft(after);
		},
		[key],
	);
	const [viewed, setViewed] = useViewed(draft.marks, drawn);
	const toggleViewed = async (path: string): Promise<void> => {
		// at once: a digest takes a moment
		if (drawn.has(path)) setViewed((before) => before.symmetricDifference(new Set([path])));
		const file = drawn.get(path) ?? (await load(path));
		if (file === null) return;
		const mark = await markOf(file);
		change(({ marks: { [path]: before, ...others }, comments }) => ({
			marks: before === mark ? others : { ...others, [path]: mark },
			comments,
		}));
	};
	const remove = (gone: readonly ReviewComment[]): void =>
		change(({ marks, comments }) => ({ marks, comments: comments.filter((each) => !isAmong(gone, each)) }));
	return {
		subject,
		viewed,
		comments: draft.comments,
		toggleViewed: (path) => void toggleViewed(path),
		add: (comment) => change(({ marks, comments }) => ({ marks, comments: [...comments, comment] })),
		remove: (comment) => remove([comment]),
		send: (deliver) =>
			oneTabAtATime(key, async () => {
				const unsent = kept(key).comments.filter((each) => isAmong(draft.comments, each));
				const isSent = await deliver(unsent);
				if (isSent) remove(unsent);
				return isSent;
			}),
	};
}

function useViewed(marks: Draft["marks"], drawn: DiffPages["drawn"]) {
	const [viewed, setViewed] = useState<ReadonlySet<string>>(new Set());
	useEffect(() => {
		let isCurrent = true;
		const marked = [...drawn.values()].filter(({ path }) => Object.hasOwn(marks, path));
		const look = async (): Promise<void> => {
			const same = await Promise.all(marked.map(async (file) => (await markOf(file)) === marks[file.path]));
			if (isCurrent) setViewed(new Set(marked.filter((_, at) => same[at]).map(({ path }) => path)));
		};
		void look();
		return () => {
			isCurrent = false;
		};
	}, [marks, drawn]);
	return [viewed, setViewed] as const;
}

const digests = new WeakMap<DiffFile, Promise<string>>();

function markOf(file: DiffFile): Promise<string> {
	const known = digests.get(file) ?? digestOf(viewedText(file));
	digests.set(file, known);
	return known;
}

async function digestOf(text: string): Promise<string> {
	const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
	return btoa(String.fromCharCode(...new Uint8Array(digest)));
}

function isAmong(comments: readonly ReviewComment[], one: ReviewComment): boolean {
	const text = JSON.stringify(one);
	return comments.some((each) => JSON.stringify(each) === text);
}

/** Only secure contexts have locks; a name or address of another machine over plain HTTP is none. */
const oneTabAtATime = async (key: string, work: () => Promise<boolean>): Promise<boolean> =>
	"locks" in navigator ? await navigator.locks.request(key, work) : await work();

/** what the storage has no room for: it is there until the page is loaded again */
const unkept = new Map<string, Draft>();

function kept(key: string): Draft {
	try {
		return unkept.get(key) ?? { ...none, ...JSON.parse(localStorage.getItem(key) ?? "{}") };
	} catch {
		return none;
	}
}

function keep(key: string, draft: Draft): void {
	try {
		localStorage.setItem(key, JSON.stringify(draft));
		unkept.delete(key);
	} catch {
		unkept.set(key, draft);
	}
}
