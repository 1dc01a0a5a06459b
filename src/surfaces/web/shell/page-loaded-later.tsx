// A page whose code is loaded when it is first opened. Not `lazy` of React: after a page has been shown as loading, React
// waits 300 ms before it shows the next one, however fast that is there.
import { type ComponentType, useEffect, useState } from "react";
import { Loading } from "../ui/placeholder.tsx";

export interface PageProps {
	params: Readonly<Record<string, string>>;
}

type Loaded = { page: ComponentType<PageProps> } | { error: unknown };

export function pageLoadedLater(load: () => Promise<ComponentType<PageProps>>): ComponentType<PageProps> {
	let known: Loaded | null = null;
	return function Page({ params }) {
		const [loaded, setLoaded] = useState(known);
		useEffect(() => {
			if (loaded !== null) return;
			const take = (now: Loaded): void => {
				// code that could not be loaded is asked for again by the next visit
				known = "page" in now ? now : null;
				setLoaded(now);
			};
			load().then(
				(page) => take({ page }),
				(error: unknown) => take({ error }),
			);
		}, [loaded]);
		if (loaded === null) return <Loading what="the page" />;
		// shown by `Broken`
		if ("error" in loaded) throw loaded.error;
		return <loaded.page params={params} />;
	};
}
