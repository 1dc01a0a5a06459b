// The changed files as a tree of their folders. Only the rows in view are in the page; one element has the focus and
// names the current row.
import { type KeyboardEvent, useDeferredValue, useId, useMemo, useRef, useState } from "react";
import { VList, type VListHandle } from "virtua";
import { inline } from "#contract/visible.ts";
import type { ChangedFile } from "#contract/workspace.ts";
import { Counts } from "../../ui/diff.tsx";
import { type FileRow, fileRows, wordsIn } from "./file-rows.ts";
import type { DiffPages } from "./use-diff-pages.ts";

interface FileTreeProps {
	files: readonly ChangedFile[];
	drawn: DiffPages["drawn"];
	viewed: ReadonlySet<string>;
	current: string | null;
	onOpen(path: string): void;
	onView(path: string): void;
}

export function FileTree({ files, drawn, viewed, current, onOpen, onView }: FileTreeProps) {
	const [text, setText] = useState("");
	const words = useDeferredValue(text);
	const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
	const rows = useMemo(() => fileRows(files, { words, collapsed }), [files, words, collapsed]);
	const [at, setAt] = useState(0);
	const list = useRef<VListHandle>(null);
	const id = useId();
	const here = Math.min(at, rows.length - 1);
	const move = (to: number): void => {
		const next = Math.max(0, Math.min(rows.length - 1, to));
		setAt(next);
		list.current?.scrollToIndex(next, { align: "nearest" });
	};
	// while something is searched for, all folders are open
	const toggle = (folder: string): unknown =>
		wordsIn(words).length > 0 || setCollapsed(collapsed.symmetricDifference(new Set([folder])));
	const open = (row: FileRow): unknown => (row.kind === "folder" ? toggle(row.folder) : onOpen(row.file.path));
	const press = (event: KeyboardEvent): void => {
		const action =
			event.metaKey || event.ctrlKey || event.altKey
				? undefined
				: keys({ rows, here, move, toggle, open, onView })[event.key];
		if (action === undefined) return;
		event.preventDefault();
		action();
	};
	return (
		<nav className="review-files" aria-label="Changed files">
			<input
				className="input review-find"
				type="search"
				placeholder="Find a file"
				aria-label="Find a file"
				value={text}
				onChange={({ target }) => setText(target.value)}
			/>
			{rows.length === 0 && <p className="meta panel-note">No file has these words in its path.</p>}
			<div
				className="review-tree"
				role="tree"
				aria-label="Changed files"
				aria-activedescendant={rows.length === 0 ? undefined : `${id}-${here}`}
				tabIndex={0}
				onKeyDown={press}
			>
				<VList ref={list} data={rows} {...(here >= 0 && { keepMounted: [here] })}>
					{(row, index) => (
						<div
							key={index}
							id={`${id}-${index}`}
							role="treeitem"
							{...placeOf(row)}
							aria-selected={row.kind === "file" && row.file.path === current}
							aria-expanded={row.kind === "folder" ? !row.isCollapsed : undefined}
							className={index === here ? "review-row review-here" : "review-row"}
							tabIndex={-1}
							onClick={() => {
								setAt(index);
								open(row);
							}}
						>
							{row.kind === "folder" ? <Folder row={row} /> : <File row={row} drawn={drawn} viewed={viewed} />}
						</div>
					)}
				</VList>
			</div>
		</nav>
	);
}

/** deeper rows are not indented further: their names need the room */
const indentMax = 8;

/** Also for the rows that are not in the page. */
const placeOf = ({ level, position, siblings }: FileRow) => ({
	...{ "aria-level": level, "aria-posinset": position, "aria-setsize": siblings },
	style: { paddingLeft: `${12 + Math.min(level - 1, indentMax) * 14}px` },
});

interface TreeKeys extends Pick<FileTreeProps, "onView"> {
	rows: readonly FileRow[];
	here: number;
	move(to: number): void;
	toggle(folder: string): unknown;
	open(row: FileRow): unknown;
}

function keys({ rows, here, move, toggle, open, onView }: TreeKeys): Readonly<Record<string, () => unknown>> {
	const row = rows[here];
	if (row === undefined) return {};
	const isCollapsed = row.kind === "folder" && row.isCollapsed;
	return {
		ArrowDown: () => move(here + 1),
		ArrowUp: () => move(here - 1),
		PageDown: () => move(here + 20),
		PageUp: () => move(here - 20),
		Home: () => move(0),
		End: () => move(rows.length - 1),
		ArrowLeft: () => {
			if (row.kind === "folder" && !isCollapsed) return toggle(row.folder);
			return row.level === 1 || move(rows.findLastIndex(({ level }, at) => at < here && level < row.level));
		},
		ArrowRight: () => row.kind === "folder" && (isCollapsed ? toggle(row.folder) : move(here + 1)),
		Enter: () => open(row),
		" ": () => (row.kind === "folder" ? toggle(row.folder) : onView(row.file.path)),
	};
}

function Folder({ row: { folder, name, isCollapsed, count } }: { row: Extract<FileRow, { kind: "folder" }> }) {
	return (
		<>
			<span aria-hidden="true" className="meta">
				{isCollapsed ? "▸" : "▾"}
			</span>
			<span className="mono clip review-folder" title={inline(folder)}>
				{inline(name)}
			</span>
			<span className="spread" />
			{isCollapsed && <span className="meta">{count}</span>}
		</>
	);
}

interface FileProps extends Pick<FileTreeProps, "drawn" | "viewed"> {
	row: Extract<FileRow, { kind: "file" }>;
}

function File({ row, drawn, viewed }: FileProps) {
	const { path, added, deleted } = row.file;
	const [isViewed, mode] = [viewed.has(path), drawn.get(path)?.mode ?? null];
	return (
		<>
			<span aria-hidden="true" className={isViewed ? "tone-ok" : "tone-off"}>
				{isViewed ? "✓" : "○"}
			</span>
			<span className="mono clip" title={inline(path)}>
				{inline(row.name)}
			</span>
			{isViewed && <span className="sr-only"> (viewed)</span>}
			<span className="spread" />
			<Counts added={added} deleted={deleted} mode={mode} />
		</>
	);
}
