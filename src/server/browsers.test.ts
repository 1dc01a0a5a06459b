// Time and ports, which a daemon cannot turn.
import { expect, test } from "vitest";
import { proofOf } from "#test/support/browser-proof.ts";
import { Browsers } from "./browsers.ts";

function world(url = "http://127.0.0.1:4180", file: { text: string | null } = { text: null }) {
	const clock = { now: 1_000_000 };
	let drawn = 0;
	const browsers = new Browsers({
		kept: file.text,
		keep: (text) => {
			file.text = text;
		},
		now: () => clock.now,
		fresh: () => String(++drawn).padStart(43, "s"),
		token: () => "token",
		url,
	});
	const signIn = () => browsers.signIn(new URL(browsers.link(null).url).hash.slice(1), "Test");
	const host = new URL(url).host;
	const secretsOf = (signed: ReturnType<typeof signIn>) =>
		[signed?.cookie.split(";")[0] ?? "", proofOf(signed?.secret ?? "", browsers.proofNonce, host), host] as const;
	return { browsers, clock, signIn, secretsOf, file };
}

test("a link is of no use after two minutes", () => {
	const { browsers, clock } = world();
	const [late, timely] = [browsers.link(null), browsers.link(null)].map(({ url }) => new URL(url).hash.slice(1));
	clock.now += 119_999;
	expect(browsers.signIn(timely ?? "", "Test")).not.toBeNull();
	clock.now += 1;
	expect(browsers.signIn(late ?? "", "Test")).toBeNull();
});

test("a browser is signed out after two weeks", () => {
	const { browsers, clock, signIn, secretsOf } = world();
	const secrets = secretsOf(signIn());
	const until = clock.now + 14 * 24 * 60 * 60_000;
	clock.now = until - 1;
	expect(browsers.signedIn(...secrets)).toEqual({ id: expect.any(String), leftMs: 1, person: null });
	clock.now = until;
	expect([browsers.signedIn(...secrets), browsers.list("everybody")]).toEqual([null, []]);
});

test("on another port the same secrets open nothing: the storage there may be another program's", () => {
	const { signIn, file } = world();
	const { cookie = "", secret = "" } = signIn() ?? {};
	const opens = (port: number): boolean => {
		const { browsers } = world(`http://127.0.0.1:${port}`, file);
		const host = `127.0.0.1:${port}`;
		const own = (cookie.split(";")[0] ?? "").replace("4180", String(port));
		return browsers.signedIn(own, proofOf(secret, browsers.proofNonce, host), host) !== null;
	};
	expect([opens(4180), opens(4181)]).toEqual([true, false]);
});

test("a proof is for one start of the daemon, one browser and one host, and the secret itself is none", () => {
	const { browsers, signIn } = world();
	const [{ cookie = "", secret = "" }, other] = [signIn() ?? {}, signIn()];
	const [name = "", host] = [cookie.split(";")[0], "127.0.0.1:4180"];
	const { proofNonce } = browsers;
	const opens = (proof: string): boolean => browsers.signedIn(name, proof, host) !== null;
	expect(
		[
			secret,
			`${proofNonce}.${secret}`,
			proofOf(secret, "b".repeat(43), host),
			proofOf(secret, proofNonce, "127.0.0.1:4181"),
			proofOf(other?.secret ?? "", proofNonce, host),
		].map(opens),
	).toEqual(Array(5).fill(false));
	expect(opens(proofOf(secret, proofNonce, host))).toBe(true);
});

test("the file has digests only, and at most fifty browsers", () => {
	const { browsers, signIn, secretsOf, file } = world();
	const first = secretsOf(signIn());
	for (let at = 0; at < 50; at++) expect(signIn()).not.toBeNull();
	expect(browsers.list("everybody")).toHaveLength(50);
	expect(browsers.signedIn(...first)).toBeNull();
	expect(file.text).not.toContain("sss");
});
