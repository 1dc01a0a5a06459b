// What has to be known of the files that a call names before anybody allows it. It is read where the files are: in the
// agent's sandbox, if it has one.
import { z } from "zod";

const Path = z.string();

export const FileCheck = z.strictObject({
	/** every file that the call names */
	paths: z.array(Path).readonly(),
	/** those that it writes, and does not say what they replace */
	written: z.array(Path).readonly(),
	/** of all texts together */
	bytesMax: z.int(),
});
export type FileCheck = z.infer<typeof FileCheck>;

/** What is at the path of a written file. `text` is null if it cannot be shown. */
const ExistingFile = z.strictObject({ path: Path, exists: z.boolean(), text: z.string().nullable() });
export type ExistingFile = z.infer<typeof ExistingFile>;

export const CheckedFiles = z.strictObject({
	/** whether the agent may change all of `paths` */
	allowed: z.boolean(),
	/** of `written`; without those of which nothing is known */
	existing: z.array(ExistingFile).readonly(),
});
export type CheckedFiles = z.infer<typeof CheckedFiles>;

/** Where nothing could be checked. */
export const unchecked: CheckedFiles = { allowed: false, existing: [] };
