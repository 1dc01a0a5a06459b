// What every element of the dashboard is made with. Text goes through `visible`, wherever it comes from: a character
// that reverses the order of letters, or that cannot be seen, would make a command or a diff look like another one.
//
// The compiler calls this (`jsxImportSource`), so no page can forget it. What a person edits is not text of an element:
// it stays as it is.
import { Fragment, jsx as make, jsxs as makeMany } from "react/jsx-runtime";
import { shown } from "./shown.ts";

export type { JSX } from "react/jsx-runtime";
export { Fragment };

export const jsx: typeof make = (type, props, key) => make(type, shown(props), key);
export const jsxs: typeof makeMany = (type, props, key) => makeMany(type, shown(props), key);
