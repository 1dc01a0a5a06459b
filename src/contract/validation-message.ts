// Validation errors for users: zod's own messages are written for the author of the schema.
import type { z } from "zod";

export function validationMessage({ issues }: z.ZodError): string {
	return issues.map((issue) => [issue.path.join("."), complaint(issue)].filter(Boolean).join(": ")).join("; ");
}

function complaint(issue: z.core.$ZodIssue): string {
	switch (issue.code) {
		case "too_small":
			return issue.minimum === 1 && issue.origin === "string"
				? "must not be empty"
				: `${issue.inclusive === false ? "more than" : "at least"} ${amount(issue.minimum, issue.origin)}`;
		case "too_big":
			return `${issue.inclusive === false ? "less than" : "at most"} ${amount(issue.maximum, issue.origin)}`;
		case "invalid_format":
			return issue.format === "datetime" ? "has to be a time like 2026-01-31T08:00:00Z" : issue.message;
		case "invalid_type":
			return issue.message.endsWith("received undefined") ? "is missing" : issue.message.replace("Invalid input: ", "");
		default:
			return issue.message.replace("Invalid input: ", "");
	}
}

function amount(size: number | bigint, origin: string): string {
	if (origin === "string") return `${size} characters`;
	return origin === "array" ? `${size} of them` : String(size);
}
