// An agent's name that means the same agent in every directory. Without zod: the command line loads this file.
export const fullName = ({ handle, project }: { handle: string; project: string | null }): string =>
	project === null ? handle : `${project}/${handle}`;
