// Browsers: links that sign one in, and those that are signed in.
import { z } from "zod";
import { Browser, BrowserLink } from "../browser.ts";
import { get, none, post, remove } from "./route.ts";

export const browserRoutes = {
	browserLink: post("/api/browsers/link", "make a link that signs one browser in, once, within two minutes", {
		body: none,
		answer: BrowserLink,
	}),
	browsers: get("/api/browsers", "the browsers that are signed in", { answer: z.array(Browser) }),
	browserSignOut: remove("/api/browsers/:browser", "sign a browser out, and end its event streams", {
		answer: Browser,
	}),
};
