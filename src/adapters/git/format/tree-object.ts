// Git's tree objects: mode, name and the bytes of an id, again and again.
export interface TreeEntry {
	/** without leading zeros: 100644, 100755, 120000, 160000, 40000 */
	mode: string;
	name: string;
	id: string;
}

/** The entries of a tree, with `above` before their names. */
export function treeEntries(bytes: Buffer, hashLength: number, above = ""): TreeEntry[] {
	const entries: TreeEntry[] = [];
	for (let at = 0; at < bytes.length; ) {
		const [space, end] = [bytes.indexOf(" ", at), bytes.indexOf(0, at)];
		if (space < 0 || end < space) throw new Error("this is not a git tree object");
		entries.push({
			mode: bytes.toString("latin1", at, space),
			name: `${above}${bytes.toString("utf8", space + 1, end)}`,
			id: bytes.toString("hex", end + 1, end + 1 + hashLength),
		});
		at = end + 1 + hashLength;
	}
	return entries;
}
