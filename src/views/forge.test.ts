import { expect, test } from "vitest";
import { forgeOf, pullRequestLink, remoteRepository } from "./forge.ts";

const change = {
	host: "github.com",
	repository: "acme/web",
	target: "acme/web",
	branch: "brood/a b",
	base: "main",
	title: "-t & ?",
	body: "",
};

test.each([
	["git@github.com:acme/web.git", "github.com", "acme/web"],
	["ssh://git@ssh.github.com:443/acme/web.git", "github.com", "acme/web"],
	["https://x-access-token:ghp_secret@github.com/acme/web", "github.com", "acme/web"],
	["https://GitLab.example.com:8443/group/sub/web.git/", "gitlab.example.com:8443", "group/sub/web"],
	["ssh://git@gitlab.example.com:2222/group/web.git", "gitlab.example.com", "group/web"],
	["git://codeberg.org/acme/web.git", "codeberg.org", "acme/web"],
	["work:acme/web.git", "work", "acme/web"],
])("%s is a repository on a server, without what may be secret", (address, host, repository) => {
	expect(remoteRepository(address)).toEqual({ host, repository });
	expect(JSON.stringify(remoteRepository(address))).not.toContain("secret");
});

test.each([
	"/srv/git/web.git",
	"../web.git",
	"file:///srv/git/web.git",
	"https://github.com/web",
	"https://-evil/acme/web",
	"git@host:--upload-pack=touch/x",
	"git@host:acme/../../x",
	"https://github.com/acme/web?x=1",
	"ext::sh -c evil",
	"https://a b/acme/web",
	"",
])("%s is not", (address) => expect(remoteRepository(address)).toBeNull());

test("a forge is known by the name of its server", () => {
	const hosts = [
		"github.com",
		"github.acme.com",
		"gitlab.com",
		"gitlab.acme.org:8443",
		"codeberg.org",
		"git.forgejo.dev",
	];
	expect([...hosts, "bitbucket.org", "git.acme.com", "notgithub.com", "mygitlabs.com"].map(forgeOf)).toEqual([
		...["github", "github", "gitlab", "gitlab", "gitea", "gitea"],
		...["bitbucket", null, null, null],
	]);
});

test("each forge has its own page, with the title and the body filled in", () => {
	expect(pullRequestLink("github", change)).toBe(
		"https://github.com/acme/web/compare/main...brood/a%20b?expand=1&title=-t%20%26%20%3F",
	);
	expect(pullRequestLink("github", { ...change, target: "upstream/web", body: "Why.\n" })).toBe(
		"https://github.com/upstream/web/compare/main...acme:brood/a%20b?expand=1&title=-t%20%26%20%3F&body=Why.%0A",
	);
	expect(pullRequestLink("gitlab", { ...change, host: "gitlab.com" })).toBe(
		"https://gitlab.com/acme/web/-/merge_requests/new?merge_request%5Bsource_branch%5D=brood%2Fa%20b&merge_request%5Btarget_branch%5D=main&merge_request%5Btitle%5D=-t%20%26%20%3F",
	);
	expect(pullRequestLink("gitea", { ...change, host: "codeberg.org" })).toBe(
		"https://codeberg.org/acme/web/compare/main...brood/a%20b?title=-t%20%26%20%3F",
	);
	expect(pullRequestLink("bitbucket", { ...change, host: "bitbucket.org" })).toBe(
		"https://bitbucket.org/acme/web/pull-requests/new?source=brood%2Fa%20b&dest=main&title=-t%20%26%20%3F",
	);
	// a long body would be cut on the way, and half a character is no reason to fail
	expect(pullRequestLink("github", { ...change, title: "\ud800", body: "x".repeat(5000) }).length).toBeLessThan(120);
});
