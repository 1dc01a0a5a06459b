// The characters that a text names as HTML does, such as `&copy;`. The lexer leaves them as they are written.

/** of 160 and the 95 after it, in their order */
const latin =
	"nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro " +
	"para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil " +
	"Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave " +
	"Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml " +
	"igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute " +
	"thorn yuml";

/** of 945 and the 24 after it: the small Greek letters */
const greek =
	"alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi " +
	"chi psi omega";

const others: readonly (readonly [name: string, character: string])[] = [
	...(["amp &", "lt <", "gt >", 'quot "', "apos '", "hellip …", "ndash –", "mdash —", "lsquo ‘", "rsquo ’"] as const),
	...(["ldquo “", "rdquo ”", "sbquo ‚", "bdquo „", "lsaquo ‹", "rsaquo ›", "bull •", "dagger †", "Dagger ‡"] as const),
	...(["permil ‰", "prime ′", "Prime ″", "euro €", "trade ™", "OElig Œ", "oelig œ", "Scaron Š", "scaron š"] as const),
	...(["larr ←", "uarr ↑", "rarr →", "darr ↓", "harr ↔", "lArr ⇐", "rArr ⇒", "hArr ⇔", "forall ∀", "part ∂"] as const),
	...([
		"exist ∃",
		"empty ∅",
		"nabla ∇",
		"isin ∈",
		"notin ∉",
		"prod ∏",
		"sum ∑",
		"minus −",
		"radic √",
		"infin ∞",
	] as const),
	...(["cap ∩", "cup ∪", "int ∫", "asymp ≈", "ne ≠", "equiv ≡", "le ≤", "ge ≥", "sub ⊂", "sup ⊃", "check ✓"] as const),
].map((pair) => [pair.slice(0, -2), pair.slice(-1)]);

const named: ReadonlyMap<string, string> = new Map([...fromCode(latin, 160), ...fromCode(greek, 945), ...others]);

function fromCode(names: string, first: number): (readonly [name: string, character: string])[] {
	return names.split(" ").map((name, at) => [name, String.fromCodePoint(first + at)]);
}

/** The text with each named or numbered character in it. A name that is unknown stays. */
export const withCharacters = (text: string): string =>
	text.replaceAll(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z][A-Za-z\d]{1,31}));/g, (whole, decimal, hex, name) =>
		name === undefined
			? numbered(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
			: (named.get(name) ?? whole),
	);

/** A number that is no character, as in HTML: the sign for an unknown one. */
const numbered = (code: number): string =>
	code === 0 || code > 0x10_ff_ff || (code >= 0xd8_00 && code <= 0xdf_ff) ? "\u{FFFD}" : String.fromCodePoint(code);
