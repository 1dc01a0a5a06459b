// A browser as people call it, from how it names itself.
const programs: readonly [string, RegExp][] = [
	["Edge", /Edg\w*\/(\d+)/],
	["Opera", /OPR\/(\d+)/],
	["Firefox", /(?:Firefox|FxiOS)\/(\d+)/],
	["Chrome", /(?:Chrome|CriOS)\/(\d+)/],
	["Safari", /Version\/(\d+).* Safari/],
];

const systems: readonly [string, RegExp][] = [
	["Windows", /Windows/],
	["Android", /Android/],
	["iOS", /iPhone|iPad/],
	["macOS", /Mac OS X/],
	["Linux", /Linux|X11/],
];

/** As it names itself, if it is none of these. */
export function browserName(userAgent: string): string {
	const program = programs
		.map(([name, says]) => [name, says.exec(userAgent)?.[1]] as const)
		.find(([, version]) => version);
	const system = systems.find(([, says]) => says.test(userAgent));
	if (program === undefined) return userAgent;
	return `${program[0]} ${program[1]}${system === undefined ? "" : ` on ${system[0]}`}`;
}
