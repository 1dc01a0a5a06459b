// Light, dark, or as the system says.
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const key = "brood.theme";

export function theme(): Theme {
	const kept = localStorage.getItem(key);
	return themes.find((each) => each === kept) ?? "system";
}

export function setTheme(next: Theme): void {
	if (next === "system") localStorage.removeItem(key);
	else localStorage.setItem(key, next);
	applyTheme();
}

export function applyTheme(): void {
	const chosen = theme();
	if (chosen === "system") delete document.documentElement.dataset["theme"];
	else document.documentElement.dataset["theme"] = chosen;
}
