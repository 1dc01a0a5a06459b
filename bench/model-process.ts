// The fake model in its own process, so that its work is no load on the daemon. Sends its address to its parent.
import { FakeModel } from "#test/support/fake-model/server.ts";

const model = await FakeModel.start();
process.send?.(model.url);
process.on("disconnect", () => void model[Symbol.asyncDispose]());
