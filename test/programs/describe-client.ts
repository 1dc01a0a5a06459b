// Writes the types of a client from an OpenAPI document, from nothing but the document: `describe-client.ts
// <document> <file>`.
import { readFileSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";

const library = import.meta.resolve("#test/support/typescript-library.ts");
registerHooks({
	resolve: (specifier, context, next) => next(specifier === "typescript" ? library : specifier, context),
});

const [document = "", file = ""] = process.argv.slice(2);
const { default: typesOf, astToString } = await import("openapi-typescript");
writeFileSync(file, astToString(await typesOf(readFileSync(document, "utf8"))));
