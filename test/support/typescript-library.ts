// The compiler as a library, for programs that want it under the name `typescript`; TypeScript 7 is a program only.
// biome-ignore lint/style/noDefaultExport: that is how the package has it
export { ts as default } from "@ts-morph/common";
