import { expect, test } from "vitest";
import { browserName } from "./browser-name.ts";

test("a browser is named by its program, version and system, or as it names itself", () => {
	const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
	expect(
		[
			`Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/156.0.0.0 Safari/537.36`,
			`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0 Safari/537.36 Edg/140.0.1`,
			"Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0",
			"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1",
			"curl/8.0",
		].map(browserName),
	).toEqual(["Chrome 156 on Linux", "Edge 140 on Windows", "Firefox 144 on Linux", "Safari 18 on iOS", "curl/8.0"]);
});
