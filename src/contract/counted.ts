/** "1 agent", "2 agents"; thousands are set apart. */
export const counted = (count: number, noun: string, several = `${noun}s`): string =>
	`${count.toLocaleString("en")} ${count === 1 ? noun : several}`;
