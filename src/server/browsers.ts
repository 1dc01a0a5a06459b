// The browsers that are signed in, and the links that sign one in. Secrets are kept as digests, in a file of the home:
// not in the store, whose copies and whose other nodes must open nothing.
//
//   brood ui ─▶ link(): a code, once, for two minutes ─▶ the page sends it ─▶ signIn(): cookie + second secret
//   every request of the page: the cookie, and a proof of the second secret for this start of the daemon ─▶ signedIn()
//
// A browser belongs to one port and to one token, the owner's or a person's: on another port its storage is another
// program's, and a rotated token ends everything that was opened with the old one.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { type Browser, BrowserId } from "#contract/browser.ts";
import { browserProof, browserProofText } from "#contract/browser-proof.ts";
import { PersonName } from "#contract/ids.ts";

const linkMs = 2 * 60_000;
/** below what a timer can wait, so that a stream can end with its browser */
const signedInMs = 14 * 24 * 60 * 60_000;
const browsersMax = 50;
const linksMax = 20;

const Kept = z.object({
	links: z.array(z.object({ code: z.string(), expiresAt: z.number(), person: PersonName.nullable().default(null) })),
	browsers: z.array(
		z.object({
			id: BrowserId,
			name: z.string(),
			signedInAt: z.number(),
			expiresAt: z.number(),
			cookie: z.string(),
			secret: z.string(),
			token: z.string(),
			port: z.string(),
			person: PersonName.nullable().default(null),
		}),
	),
});
type Kept = z.infer<typeof Kept>;
type Row = Kept["browsers"][number];

export interface BrowserParts {
	/** the file's content; null if there is none */
	kept: string | null;
	/** replaces the file durably */
	keep(text: string): void;
	now(): number;
	/** 43 random characters of base64url */
	fresh(): string;
	/** the daemon's own origin, like http://127.0.0.1:4180 */
	url: string;
	/** the owner's token as it is now, or the hash of a person's; null if that person is gone */
	token(person: PersonName | null): string | null;
}

export interface SignedIn {
	id: Browser["id"];
	/** until the browser is signed out */
	leftMs: number;
	person: PersonName | null;
}

export class Browsers {
	readonly #parts: BrowserParts;
	#kept: Kept;
	readonly #port: string;
	readonly #isSecure: boolean;
	/** drawn when the listener starts; public, and unknown before */
	readonly proofNonce: string;

	constructor(parts: BrowserParts) {
		this.#parts = parts;
		const { port, protocol } = new URL(parts.url);
		this.#port = port === "" ? "443" : port;
		this.#isSecure = protocol === "https:";
		this.#kept = keptIn(parts.kept);
		this.proofNonce = parts.fresh();
	}

	/** The name has the port: cookies are shared between ports, and another daemon has its own. */
	get cookieName(): string {
		return `brood_${this.#port}`;
	}

	link(person: PersonName | null): { url: string; expiresAt: string } {
		const code = this.#parts.fresh();
		const expiresAt = this.#parts.now() + linkMs;
		this.#replace({ links: [...this.#kept.links, { code: digest(code), expiresAt, person }].slice(-linksMax) });
		// after the #, so that no request and no log has it
		return { url: `${this.#parts.url}/sign-in#${code}`, expiresAt: iso(expiresAt) };
	}

	/** Uses a link up. Null if it was used, is too old or never was. */
	signIn(code: string, name: string): { cookie: string; secret: string; expiresAt: string } | null {
		const now = this.#parts.now();
		const link = this.#kept.links.find((each) => same(each.code, digest(code)) && each.expiresAt > now);
		const token = link === undefined ? null : this.#parts.token(link.person);
		if (link === undefined || token === null) return null;
		const [cookie, secret] = [this.#parts.fresh(), this.#parts.fresh()];
		const row: Row = {
			id: digest(cookie, "hex").slice(0, 12),
			name: name.slice(0, 200),
			signedInAt: now,
			expiresAt: now + signedInMs,
			cookie: digest(cookie),
			secret: digest(secret),
			token: digest(token),
			port: this.#port,
			person: link.person,
		};
		this.#replace({
			links: this.#kept.links.filter((each) => each !== link),
			browsers: [...this.#kept.browsers, row].slice(-browsersMax),
		});
		return { cookie: this.#setCookie(cookie), secret, expiresAt: iso(row.expiresAt) };
	}

	/** Whether the cookie and the proof are those of one browser; neither opens anything without the other. */
	signedIn(cookies: string, proof: string, host: string): SignedIn | null {
		// a page on another port may have set a second cookie of this name: all are tried
		const given = [...cookies.matchAll(/(?:^|; )([a-z0-9_]+)=([A-Za-z0-9_-]{43})(?=;|$)/g)]
			.filter(([, name]) => name === this.cookieName)
			.map(([, , value = ""]) => digest(value));
		const row = this.#valid().find(
			(each) => given.some((one) => same(each.cookie, one)) && same(this.#proofOf(each, host), proof),
		);
		if (row === undefined) return null;
		return { id: row.id, leftMs: row.expiresAt - this.#parts.now(), person: row.person };
	}

	#proofOf({ secret }: Row, host: string): string {
		const signed = createHmac("sha256", secret).update(browserProofText(this.proofNonce, host));
		return browserProof(this.proofNonce, signed.digest("base64url"));
	}

	/** Those of one person, or all. */
	list(of: PersonName | "everybody", caller: Browser["id"] | null = null): Browser[] {
		return this.#of(of).map((row) => ({ ...shown(row), ...(row.id === caller && { isCaller: true as const }) }));
	}

	signOut(id: string, of: PersonName | "everybody"): Browser | null {
		const row = this.#of(of).find((each) => each.id === id);
		if (row === undefined) return null;
		this.#replace({ browsers: this.#kept.browsers.filter((each) => each !== row) });
		return shown(row);
	}

	/** After the token was replaced. */
	signOutAll(): void {
		this.#replace({ links: [], browsers: [] });
	}

	#of(of: PersonName | "everybody"): Row[] {
		return this.#valid().filter(({ person }) => of === "everybody" || person === of);
	}

	#valid(): Row[] {
		const now = this.#parts.now();
		return this.#kept.browsers.filter((each) => {
			const token = this.#parts.token(each.person);
			return token !== null && each.expiresAt > now && each.port === this.#port && same(each.token, digest(token));
		});
	}

	#replace(change: Partial<Kept>): void {
		const now = this.#parts.now();
		const { links, browsers } = { ...this.#kept, ...change };
		const fresh = {
			links: links.filter(({ expiresAt }) => expiresAt > now),
			browsers: browsers.filter(({ expiresAt }) => expiresAt > now),
		};
		// on disk first: a link that is used up stays used up
		this.#parts.keep(`${JSON.stringify(fresh)}\n`);
		this.#kept = fresh;
	}

	#setCookie(value: string): string {
		return `${this.cookieName}=${value}; Path=/api; HttpOnly; SameSite=Strict; Max-Age=${signedInMs / 1000}${this.#isSecure ? "; Secure" : ""}`;
	}
}

const shown = ({ id, name, person, signedInAt, expiresAt }: Row): Browser => ({
	id,
	name,
	person,
	signedInAt: iso(signedInAt),
	expiresAt: iso(expiresAt),
});

/** A damaged file signs everybody out; `brood ui` makes the next link. */
function keptIn(text: string | null): Kept {
	const none = { links: [], browsers: [] };
	if (text === null) return none;
	try {
		return Kept.catch(none).parse(JSON.parse(text));
	} catch {
		return none;
	}
}

const iso = (time: number): string => new Date(time).toISOString();

const digest = (text: string, encoding: "base64url" | "hex" = "base64url"): string =>
	createHash("sha256").update(text).digest(encoding);

/** Of two digests or proofs, in constant time. */
const same = (one: string, other: string): boolean =>
	one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
