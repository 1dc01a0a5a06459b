// The state of a node as people read it, apart from the schemas: the command line loads none.

export const nodeStateText = (state: string): string => (state === "left" ? "stopped" : state);
