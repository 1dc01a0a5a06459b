// The fake model in a process of its own, as a model is: what it parses and keeps is no load of the daemon's. Says
// where it listens.
import { FakeModel } from "#test/support/fake-model/server.ts";

const model = await FakeModel.start();
process.send?.(model.url);
process.on("disconnect", () => void model[Symbol.asyncDispose]());
