// The rule for names, in a file without zod: the command line checks names and must start fast.

export const nameShape = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
export const nameRule = "use 1 to 64 of a-z, 0-9 and -, beginning and ending with a letter or digit";
