// Code in its colours. It is readable at once; the colours come with the language's parser.
import { memo, useEffect, useState } from "react";
import { CodeBox } from "./code-box.tsx";
import { colouredLines, isLoaded, load, type Piece, parserFor } from "./languages.ts";

export const Code = memo(function Code({ text, language }: { text: string; language: string }) {
	const name = parserFor(language);
	useLanguage(name);
	return (
		<CodeBox label="Code">
			<code>
				{colouredLines(text, name).map((pieces, at) => (
					// biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity
					<span key={at} className="code-line">
						<Pieces pieces={pieces} />
						{"\n"}
					</span>
				))}
			</code>
		</CodeBox>
	);
});

export function Pieces({ pieces }: { pieces: readonly Piece[] }) {
	return pieces.map(({ text, className }, at) =>
		className === "" ? (
			text
		) : (
			// biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity
			<span key={at} className={className}>
				{text}
			</span>
		),
	);
}

/** Loads a language's parser and renders again when it is there. */
export function useLanguage(name: string | null): boolean {
	const [, again] = useState(0);
	useEffect(() => {
		if (name === null || isLoaded(name)) return;
		let isShown = true;
		void load(name).then(() => isShown && again((count) => count + 1));
		return () => {
			isShown = false;
		};
	}, [name]);
	return name !== null && isLoaded(name);
}
