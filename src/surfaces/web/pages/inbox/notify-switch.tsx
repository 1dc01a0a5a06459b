import { useState } from "react";
import { isNotifying, switchTo } from "../../shell/notifications.ts";
import { toast } from "../../store/toasts.ts";
import { Button } from "../../ui/button.tsx";

export function NotifySwitch() {
	const [isOn, setOn] = useState(isNotifying);
	const change = async (): Promise<void> => {
		const { on, why } = await switchTo(!isOn);
		setOn(on);
		if (why !== null) toast({ tone: "wait", text: why });
	};
	return (
		<Button kind="quiet" onClick={change}>
			{isOn ? "Notifications on" : "Turn on notifications"}
		</Button>
	);
}
