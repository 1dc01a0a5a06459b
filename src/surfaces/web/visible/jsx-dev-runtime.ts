// The same as `jsx-runtime.ts`, for builds in which React checks more: the tests have one.
import { Fragment, jsxDEV as make } from "react/jsx-dev-runtime";
import { shown } from "./shown.ts";

export type { JSX } from "react/jsx-dev-runtime";
export { Fragment };

export const jsxDEV: typeof make = (type, props, ...rest) => make(type, shown(props), ...rest);
