// The library's screen, where a selection is of the text that is shown, not of the screen's rows, and where a frame is
// left out while the terminal has not taken the last one.
import { type Terminal as PiTerminal, TuiAltScreen } from "@earendil-works/pi-tui";
import { columnsOf, uncoloured } from "./text.ts";

/** What the screen writes to. */
export interface Terminal extends PiTerminal {
	/** something that was written has not been taken yet */
	readonly isBehind?: boolean;
	/** called when everything has been taken */
	onTaken?: () => void;
}

export interface Selectable {
	/** the columns of a row that belong together with this one, from the first to before the last */
	together(column: number, row: number): [from: number, to: number];
	/** the text of what is marked: columns of rows that follow each other */
	copied(spans: { row: number; from: number; to: number }[]): string;
}

interface Bounds {
	start: { row: number };
	end: { row: number };
}

export class SelectingScreen extends TuiAltScreen {
	readonly #to: Terminal;
	readonly #together: Selectable["together"];
	#owes = false;
	/** the frame before */
	#before: readonly string[] = [];

	constructor(to: Terminal, { together, copied }: Selectable, mouse: boolean) {
		super(to, true, undefined, { mouse });
		this.#to = to;
		this.#together = together;
		this.#copyOnly(copied);
		to.onTaken = () => {
			if (!this.#owes) return;
			this.#owes = false;
			this.requestRender();
		};
	}

	/** The button is down. */
	get isSelecting(): boolean {
		return this.#own("selectionPressActive") === true;
	}

	dropSelection(): void {
		this.#call("clearTextSelection");
	}

	/** Other text than was marked is not highlighted: the selection goes when the rows under it change. */
	dropMovedSelection(rows: readonly string[]): void {
		const before = this.#before;
		this.#before = rows;
		const bounds = this.#bounds;
		if (bounds === null || this.isSelecting) return;
		const isMoved = this.#rowsIn(bounds).some((row) => {
			const columns = this.#together(this.#column, row);
			const [was, is] = [before, rows].map((frame) => columnsOf(uncoloured(frame[row] ?? ""), ...columns));
			return was !== is;
		});
		if (isMoved) this.dropSelection();
	}

	readonly #rowsIn = ({ start, end }: Bounds): number[] =>
		Array.from({ length: end.row - start.row + 1 }, (_, at) => start.row + at);

	/**
	 * A selection of several rows has nothing of what stands beside them, and copies the text that they show. The library
	 * selects and copies whole rows of the screen.
	 */
	#copyOnly(copied: Selectable["copied"]): void {
		const ofRow = this.#own("getSelectionColumns");
		if (typeof ofRow !== "function") return;
		const columnsIn = (line: string, row: number, selection: object) =>
			Reflect.apply(ofRow, this, [line, row, selection, ...this.#together(this.#column, row)]);
		Reflect.set(this, "getSelectionColumns", columnsIn);
		Reflect.set(this, "getActiveSelectionText", () => {
			const bounds = this.#bounds;
			if (bounds === null) return undefined;
			const spans = this.#rowsIn(bounds).map((row) => {
				const { start, end } = columnsIn(this.#before[row] ?? "", row, bounds);
				return { row, from: Number(start), to: Number(end) };
			});
			return copied(spans) || undefined;
		});
	}

	get #bounds(): Bounds | null {
		const found = this.#call("getSelectionBounds");
		return isBounds(found) ? found : null;
	}

	/** where the selection began */
	get #column(): number {
		return Number(Reflect.get(Object(this.#own("selectionAnchor")), "col"));
	}

	/** What the library keeps for itself. */
	#own(name: string): unknown {
		return Reflect.get(this, name);
	}

	#call(name: string): unknown {
		const method = this.#own(name);
		return typeof method === "function" ? Reflect.apply(method, this, []) : undefined;
	}

	protected override doRender(): void {
		if (this.#to.isBehind === true) this.#owes = true;
		else super.doRender();
	}
}

const isBounds = (found: unknown): found is Bounds => typeof found === "object" && found !== null && "start" in found;
