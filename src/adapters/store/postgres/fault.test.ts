import { expect, test } from "vitest";
import { faultOf } from "./fault.ts";

test("a pooler that mixes up prepared statements and a server that proves nothing are named; other errors are told as they are", () => {
	const failed = (code: string) => faultOf(Object.assign(new Error("prepared statement problem"), { code }));
	for (const code of ["42P05", "26000"]) {
		expect(failed(code)).toMatchObject({
			kind: "denied",
			message: expect.stringMatching(/^A pooler in transaction mode/),
		});
	}
	const stranger = Object.assign(new Error("unable to verify the first certificate; if the root CA is installed …"), {
		code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
	});
	for (const error of [stranger, new Error("The server does not support SSL connections")])
		expect(faultOf(error)).toMatchObject({
			kind: "denied",
			message: expect.stringMatching(/^The database does not prove who it is: [^;]+\. `sslrootcert=FILE` /),
		});
	expect(failed("55P03")).toMatchObject({
		kind: "unavailable",
		message: expect.stringMatching(/^Other transactions in the database did not let this one through: /),
	});
	expect(failed("42601")).toMatchObject({ kind: "rejected", message: expect.not.stringContaining("pooler") });
});
