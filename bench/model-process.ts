// The fake model in its own process, so that its work is no load on the daemon. Prints its address.
import { FakeModel } from "#test/support/fake-model/server.ts";

const model = await FakeModel.start();
process.send?.(model.url);
process.on("disconnect", () => void model[Symbol.asyncDispose]());
