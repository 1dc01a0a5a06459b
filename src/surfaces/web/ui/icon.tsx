// Line icons on a grid of 16: fonts do not have these shapes everywhere.
const shapes = {
	overview: "M2.5 3.5h11v9h-11zM2.5 6.5h11M6.5 6.5v6",
	inbox: "M2.5 9.5 4.5 3h7l2 6.5v3.5h-11zM2.5 9.5h3.5l1 2h2l1-2h3.5",
	fork: "M4.5 2.5v11M4.5 5.5c0 3 2 3 6 3M12.5 8.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0z",
	board: "M2.5 3h3v10h-3zM6.8 3h3v6h-3zM11 3h2.5v8H11z",
	review: "M3 2.5h7l3 3v8H3zM5.5 7h5M5.5 10h5",
	slots: "M2.5 4.5h11v3h-11zM2.5 9.5h11v3h-11zM5 6h.01M5 11h.01",
	journal: "M4 2.5h8.5v11H4zM4 5H2.5M4 8H2.5M4 11H2.5M6.5 5.5h3.5M6.5 8h3.5",
	settings: "M3 4.5h10M3 8h10M3 11.5h10M6 3v3M10.5 6.500v3M5 10v3",
	add: "M8 3v10M3 8h10",
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name }: { name: IconName }) {
	return (
		<svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
			<path d={shapes[name]} />
		</svg>
	);
}
