// The diff of a review, part by part: the first answer is shown at once, the rest of the list follows, and the patch of
// a file is loaded when the file comes into view. Nothing is cut off.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { AnswerOf } from "#contract/routes.ts";
import type { ChangedFile, Diff } from "#contract/workspace.ts";
import type { DiffFile } from "#views/diff-lines.ts";
import { type Read, useRead, useStore } from "../../store/hooks.ts";
import { refusalOf } from "../../store/refusal-of.ts";
import { drawnWith, isShort } from "./drawn-files.ts";
import { routesOf, type Subject } from "./subject.ts";

export interface DiffPages {
	files: readonly ChangedFile[];
	/** by path; those whose patch is loaded */
	drawn: ReadonlyMap<string, DiffFile>;
	/** files that alone are longer than an answer: they are loaded one by one, when somebody asks */
	long: ReadonlySet<string>;
	/** why the last request failed; null if it did not */
	problem: string | null;
	isListed: boolean;
}

interface DiffLoader {
	/** loads the patches from this file on */
	want(path: string): void;
	loadWhole(path: string): Promise<DiffFile | null>;
}

type FirstDiff = AnswerOf<"diff"> | AnswerOf<"issueDiff">;

export function useDiffPages(
	subject: Subject,
	again: number,
): { read: Read<FirstDiff>; pages: DiffPages } & DiffLoader {
	const { client } = useStore();
	const { params, diff: route } = routesOf(subject);
	const key = JSON.stringify(params);
	const read: Read<FirstDiff> = useRead(route, { params }, again);
	const first = read.data;
	const fresh = useMemo(() => (first === undefined ? none : withPage(none, first)), [first]);
	const [kept, setKept] = useState({ of: first, pages: fresh });
	const pages = kept.of === first ? kept.pages : fresh;
	const change = useCallback(
		(next: (pages: DiffPages) => DiffPages) =>
			setKept((before) => ({ of: first, pages: next(before.of === first ? before.pages : fresh) })),
		[first, fresh],
	);
	// biome-ignore lint/correctness/useExhaustiveDependencies: the parameters are compared by what they contain
	const ask = useCallback(
		async (part: { from: string } | { path: string }): Promise<Diff | null> => {
			try {
				return await client.call(route, { params, query: part });
			} catch (error) {
				const { message } = refusalOf(error);
				change((before) => ({ ...before, problem: message }));
				return null;
			}
		},
		[client, route, key, change],
	);
	useRestOfList(first, ask, change);
	const want = useWanted(ask, change);
	const loadWhole = async (path: string): Promise<DiffFile | null> => {
		const answer = await ask({ path });
		if (answer === null) return null;
		const loaded = drawnWith(new Map(), answer);
		change((before) => ({ ...before, problem: null, drawn: new Map([...before.drawn, ...loaded]) }));
		return loaded.get(path) ?? null;
	};
	return { read, pages, want, loadWhole };
}

type Ask = (part: { from: string } | { path: string }) => Promise<Diff | null>;
type Change = (next: (pages: DiffPages) => DiffPages) => void;

function useRestOfList(first: Diff | undefined, ask: Ask, change: Change): void {
	useEffect(() => {
		let isCurrent = true;
		const readOn = async (): Promise<void> => {
			for (let at = first?.next.file ?? null; at !== null && isCurrent; ) {
				const page = await ask({ from: at });
				if (page === null || !isCurrent) return;
				change((before) => withPage(before, page));
				at = page.next.file;
			}
		};
		void readOn();
		return () => {
			isCurrent = false;
		};
	}, [first, ask, change]);
}

/**
 * One request at a time; of those that were wanted meanwhile the last one is next. The others, if still in view, ask
 * again.
 */
function useWanted(ask: Ask, change: Change): (path: string) => void {
	const state = useRef<{ isBusy: boolean; next: string | null }>({ isBusy: false, next: null });
	return useCallback(
		(path) => {
			const load = async (from: string): Promise<void> => {
				const answer = await ask({ from });
				if (answer === null) return;
				const { next } = state.current;
				// what was wanted meanwhile may have come with it
				if (next !== null && isDrawn(answer, next)) state.current.next = null;
				change((before) => ({
					...before,
					problem: null,
					drawn: drawnWith(before.drawn, wholePart(answer), isShort),
					// one that did not come is not asked for again and again
					long: isDrawn(answer, from) ? before.long : new Set([...before.long, from]),
				}));
			};
			const run = async (): Promise<void> => {
				state.current.isBusy = true;
				for (let from: string | null = path; from !== null; from = state.current.next) {
					state.current.next = null;
					await load(from);
				}
				state.current.isBusy = false;
			};
			if (state.current.isBusy) state.current.next = path;
			else void run();
		},
		[ask, change],
	);
}

const none: DiffPages = { files: [], drawn: new Map(), long: new Set(), problem: null, isListed: false };

const withPage = (before: DiffPages, page: Diff): DiffPages => ({
	files: [...before.files, ...page.files],
	drawn: drawnWith(before.drawn, wholePart(page), isShort),
	long: longWith(before.long, page),
	problem: null,
	isListed: page.next.file === null,
});

/** A file of which only the beginning fitted is not shown in part. */
const isFirstCut = ({ files, next }: Diff): boolean => next.patch !== null && next.patch === files[0]?.path;
const wholePart = (diff: Diff): Diff => (isFirstCut(diff) ? { ...diff, patch: "" } : diff);

/** Patches come in the order of the files. */
function isDrawn({ files, next }: Diff, path: string): boolean {
	const at = files.findIndex((file) => file.path === path);
	const end = next.patch === null ? files.length : files.findIndex((file) => file.path === next.patch);
	return at >= 0 && at < end;
}

const longWith = (long: ReadonlySet<string>, diff: Diff): ReadonlySet<string> =>
	isFirstCut(diff) && diff.next.patch !== null ? new Set([...long, diff.next.patch]) : long;
