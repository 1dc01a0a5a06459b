// What the rows of a block say, for copying.
import { inline, visible } from "#contract/visible.ts";
import { type Block, insideOf } from "#views/conversation.ts";
import { withSenders } from "#views/mail-senders.ts";
import { planSteps } from "#views/plan.ts";
import { type BlockLook, blockRows, fromWhom, outputLines } from "./block-rows.ts";
import { markdownLines, uncoloured } from "./pi/text.ts";
import { type Said, type SaidLine, saidIn } from "./said.ts";

/** One for each row of the block. */
export function saidRows(block: Block, look: BlockLook): Said[] {
	const rows = blockRows(block, look).map(uncoloured);
	return saidIn(rows, linesOf(block, look, rows));
}

function linesOf(block: Block, look: BlockLook, rows: readonly string[]): SaidLine[] {
	const mark = fromWhom(block, look);
	const lines = (text: string): SaidLine[] =>
		visible(text)
			.split("\n")
			.map((line) => ({ text: line }));
	const marked = (by: string, text: string): SaidLine[] =>
		lines(text).map((line, at) => (at === 0 ? { ...line, mark: by } : line));
	switch (block.kind) {
		case "prompt":
			return [{ text: "" }, ...marked(`${mark}›`, withSenders(block.text, look.nameOf))];
		case "message":
			return block.bad
				? marked("✗", `failed: ${block.text}`)
				: markdownLines(visible(block.text)).map((text) => ({ text }));
		case "thought":
			return look.isOpened ? lines(block.text) : lines(rows[0]?.trim() ?? "");
		case "call": {
			const title = insideOf(look.folder, block.text);
			return [
				{ text: rows[0]?.trim() ?? "" },
				...(look.isOpened ? [{ text: inline(title) }, ...lines(outputLines(block, look).join("\n"))] : []),
			];
		}
		case "plan":
			return planSteps(block.text).map((step) => ({ text: visible(step.text), mark: step.mark }));
		default:
			return lines(mark + block.text);
	}
}
