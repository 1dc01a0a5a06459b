// The changed files by folder. A link leads to the file in the diff.
import type { ChangedFile } from "#contract/workspace.ts";
import { Counts } from "../../ui/diff.tsx";

export function FileTree({
	files,
	viewed,
	current,
	onOpen,
}: {
	files: readonly ChangedFile[];
	viewed: readonly string[];
	current: string | null;
	onOpen(path: string): void;
}) {
	const folders = Map.groupBy(files, ({ path }) => path.slice(0, path.lastIndexOf("/") + 1));
	return (
		<nav className="review-files" aria-label="Changed files">
			{[...folders].map(([folder, inside]) => (
				<section key={folder}>
					{folder !== "" && <h3 className="mono clip review-folder">{folder}</h3>}
					<ul>
						{inside.map(({ path, added, deleted }) => (
							<li key={path}>
								<button
									type="button"
									className="review-file"
									aria-current={path === current}
									onClick={() => onOpen(path)}
								>
									<span aria-hidden="true" className={viewed.includes(path) ? "role-ok" : "role-off"}>
										{viewed.includes(path) ? "✓" : "○"}
									</span>
									<span className="mono clip">{path.slice(folder.length)}</span>
									{viewed.includes(path) && <span className="sr-only"> (viewed)</span>}
									<span className="spread" />
									<Counts added={added} deleted={deleted} />
								</button>
							</li>
						))}
					</ul>
				</section>
			))}
		</nav>
	);
}
