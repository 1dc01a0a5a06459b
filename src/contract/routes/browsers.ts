// Browsers: links that sign one in, and those that are signed in.
import { z } from "zod";
import { Browser, BrowserLink } from "../browser.ts";
import { get, post, remove } from "./route.ts";

export const browserRoutes = {
	browserLink: post("/api/browsers/link", "make a link that signs one browser in, once, within two minutes", {
		role: "viewer",
		answer: BrowserLink,
	}),
	browsers: get("/api/browsers", "list the caller's signed-in browsers; all of them for an admin", {
		answer: z.array(Browser),
	}),
	browserSignOut: remove("/api/browsers/:browser", "sign a browser out, and end its event streams", {
		role: "viewer",
		answer: Browser,
	}),
};
