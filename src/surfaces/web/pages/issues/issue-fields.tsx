// The fields that adding and editing an issue have in common.
interface Words {
	title: string;
	body: string;
}

export function IssueFields({ words, rows, onChange }: { words: Words; rows: number; onChange(words: Words): void }) {
	return (
		<>
			<label className="field">
				<span>Title</span>
				<input
					className="input"
					value={words.title}
					onChange={({ target }) => onChange({ ...words, title: target.value })}
				/>
			</label>
			<label className="field">
				<span>Description</span>
				<textarea
					className="textarea"
					rows={rows}
					value={words.body}
					onChange={({ target }) => onChange({ ...words, body: target.value })}
				/>
			</label>
		</>
	);
}

/** Why an issue cannot be saved; null if it can. */
export const whyNotSaved = ({ title }: Words): string | null => (title.trim() === "" ? "Give it a title." : null);
