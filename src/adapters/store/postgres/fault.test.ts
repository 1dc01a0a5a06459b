import { expect, test } from "vitest";
import { concernsDatabase, faultOf, isConnectionLoss } from "./fault.ts";

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
	expect(failed("25P04")).toMatchObject({ kind: "unavailable" });
	// of a server, or a proxy, that answers a request for TLS with something else
	const noTls = new Error("There was an error establishing an SSL connection");
	expect(faultOf(noTls)).toMatchObject({ kind: "unavailable" });
});

test("a server that cannot be written to is away until it can, or the address leads to another one", () => {
	const inRecovery = Object.assign(new Error("cannot set transaction read-write mode during recovery"), {
		code: "0A000",
	});
	const readOnly = Object.assign(new Error("cannot execute INSERT in a read-only transaction"), { code: "25006" });
	for (const error of [inRecovery, readOnly]) {
		expect([isConnectionLoss(error), concernsDatabase(error)]).toEqual([true, true]);
		expect(faultOf(error)).toMatchObject({
			kind: "unavailable",
			message: expect.stringMatching(
				/^The database cannot be written to; is it a standby\? Cannot .* Nothing was changed\.$/,
			),
		});
	}
	const other = Object.assign(new Error("this is not supported"), { code: "0A000" });
	expect([isConnectionLoss(other), faultOf(other).kind]).toEqual([false, "rejected"]);
});
