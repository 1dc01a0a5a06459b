import { expect, test } from "vitest";
import { beginsWith, coversCommand, prefixOf, simpleWords } from "./command-prefix.ts";

const at = (line: string, folder: string | null = null) => ({ line, folder });

test.each([
	["npm test", ["npm", "test"]],
	["  npm\ttest  ", ["npm", "test"]],
	["npm test -- --grep 'a b' \"c d\"", ["npm", "test", "--", "--grep", "a b", "c d"]],
	["npm 'te'st", ["npm", "test"]],
	["npm test ';' '&&' '$(x)' '`x`' '*' '>'", ["npm", "test", ";", "&&", "$(x)", "`x`", "*", ">"]],
	["npm test ''", ["npm", "test", ""]],
	["./run-tests --all=yes", ["./run-tests", "--all=yes"]],
	["npm test ünïcode", ["npm", "test", "ünïcode"]],
])("%j is simple", (line, words) => {
	expect(simpleWords(line)).toEqual(words);
});

const hostile = [
	"npm test; rm -rf ~",
	"npm test;rm -rf ~",
	"npm test && rm -rf ~",
	"npm test&&rm -rf ~",
	"npm test || rm -rf ~",
	"npm test | sh",
	"npm test |& sh",
	"npm test & rm -rf ~",
	"npm test\nrm -rf ~",
	"npm test\r\nrm -rf ~",
	"npm test\rrm -rf ~",
	"npm test\vrm",
	"npm test\frm",
	"npm test\u2028rm -rf ~",
	"npm test\u0085rm -rf ~",
	"npm test \0 rm",
	"npm test `rm -rf ~`",
	"npm test $(rm -rf ~)",
	'npm test "$(rm -rf ~)"',
	'npm test "`rm -rf ~`"',
	"npm test $\u007BIFS}x",
	"npm test $HOME",
	'npm test "$HOME"',
	"npm test $'\\nrm'",
	'npm test $"x"',
	"npm test > ~/.bashrc",
	"npm test >~/.bashrc",
	"npm test 2>&1",
	"npm test < /etc/passwd",
	"npm test <<EOF",
	"npm test <<< x",
	"npm test <(rm x)",
	"npm test >(rm x)",
	"npm test (rm x)",
	"(npm test)",
	"{ npm test; }",
	"npm test {a,b}",
	"npm test *",
	"npm test ?",
	"npm test [a]",
	"npm test !x",
	"! npm test",
	"npm test #x",
	"npm test \\\nrm",
	"npm test \\; rm",
	"npm test ^ rm",
	'npm test "a\\"; rm -rf ~; \\""',
	"npm test 'a",
	'npm test "a',
	"npm test 'it'\\''s; rm'",
	"npm test \u202Erm",
	"npm test \u200Brm",
	"FOO=bar npm test",
	"LD_PRELOAD=/tmp/x.so npm test",
	"'' npm test",
	"",
	"   ",
];

test.each(hostile)("%j is not simple, and no prefix covers it", (line) => {
	expect(simpleWords(line)).toBeNull();
	expect(beginsWith(at(line), ["npm", "test"])).toBe(false);
	expect(beginsWith(at(line), ["npm"])).toBe(false);
});

test.each([
	["npm test", true],
	["npm test x y", true],
	["'npm' \"test\" x", true],
	["npm tests", false],
	["npm test-all", false],
	["npm", false],
	["npm run test", false],
	["npmtest", false],
	["npm  'test x'", false],
	["NPM test", false],
	["/tmp/npm test", false],
	["npm test\u00A0x", false],
])("npm test covers %j: %s", (line, covered) => {
	expect(beginsWith(at(line), ["npm", "test"])).toBe(covered);
});

test("a permit covers only the same folder, and one without a prefix or with an empty one covers nothing", () => {
	const permit = { tool: "execute", title: "t", digest: "", allow: true, prefix: ["npm", "test"], folder: "/work" };
	expect(coversCommand(permit, at("npm test x", "/work"))).toBe(true);
	expect(coversCommand(permit, at("npm test x", "/tmp/evil"))).toBe(false);
	expect(coversCommand(permit, at("npm test x"))).toBe(false);
	expect(coversCommand(permit, undefined)).toBe(false);
	const { prefix: _, ...exact } = permit;
	expect(coversCommand(exact, at("npm test x", "/work"))).toBe(false);
	expect(coversCommand({ ...permit, prefix: [] }, at("npm test x", "/work"))).toBe(false);
});

test.each([
	["npm test", ["npm", "test"]],
	["npm test *", ["npm", "test"]],
	[" pytest ", ["pytest"]],
	["python3 -m pytest", ["python3", "-m", "pytest"]],
	["git diff", ["git", "diff"]],
])("%j is the prefix %j", (typed, words) => {
	expect(prefixOf(typed)).toEqual(words);
});

test.each([
	..."* bash sh|x bash\u0020-c env sudo python3.12 /usr/bin/python3 node npm git npm\u0020--silent xargs find".split(
		" ",
	),
	...[
		"bash -c",
		"npm test;",
		"npm test && x",
		"FOO=1 npm",
		"npm $X",
		"a\nb",
		"'",
		"",
		"npm test * x",
		"env -i",
		"eval",
		".",
	],
])("%j is not a prefix", (typed) => {
	expect(typeof prefixOf(typed)).toBe("string");
});
