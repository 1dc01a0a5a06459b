import { visible } from "#contract/visible.ts";

/** The properties of an element with its text made visible. */
export function shown(props: unknown): unknown {
	const { children } = Object(props);
	if (typeof children === "string") return { ...Object(props), children: visible(children) };
	if (!Array.isArray(children) || !children.some((child) => typeof child === "string")) return props;
	return { ...Object(props), children: children.map((child) => (typeof child === "string" ? visible(child) : child)) };
}
