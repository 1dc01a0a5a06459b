import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { loadPagesWhenIdle } from "./pages.ts";
import { applyTheme } from "./shell/theme.ts";
import { connect } from "./store/connection.ts";
import { StoreContext } from "./store/hooks.ts";
import { signIn } from "./store/sign-in.ts";
import { Store } from "./store/store.ts";
import { streamOf } from "./store/tab.ts";
import "./styles/index.css";

applyTheme();
await signIn();
const client = connect();
const store = new Store(client, streamOf(client));
void store.run();

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no root");
createRoot(root).render(
	<StoreContext value={store}>
		<App />
	</StoreContext>,
);
loadPagesWhenIdle();
