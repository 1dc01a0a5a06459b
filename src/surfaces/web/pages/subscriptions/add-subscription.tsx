import { useState } from "react";
import { SubscriptionName } from "#contract/ids.ts";
import { useAct, useRead } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { RefusedNote } from "../../ui/refused-note.tsx";

export function AddSubscription({ onClose }: { onClose(): void }) {
	const act = useAct();
	const vendors = useRead("vendors", {});
	const [name, setName] = useState("");
	const [type, setType] = useState("claude");
	const [slots, setSlots] = useState(3);
	const parsed = SubscriptionName.safeParse(name);
	const add = async (): Promise<void> => {
		if (!parsed.success) return;
		const body = { name: parsed.data, type, maxConcurrent: slots };
		if ((await act("subscriptionAdd", { body }, `${name} was added.`)) !== null) onClose();
	};
	return (
		<Dialog
			title="Add a subscription"
			onClose={onClose}
			actions={
				<Button
					kind="primary"
					why={parsed.success ? null : "Enter a name: lowercase letters, digits and hyphens."}
					onClick={add}
				>
					Add
				</Button>
			}
		>
			<TextField label="Name" value={name} onChange={setName} />
			<SelectField label="Agent type" value={type} onChange={setType}>
				{(vendors.data ?? []).map((vendor) => (
					<option key={vendor.type} value={vendor.type}>
						{vendor.title}
					</option>
				))}
				<option value="scripted">scripted</option>
			</SelectField>
			<RefusedNote read={vendors} what="The vendors' agents" />
			<TextField
				label="Slots (turns at the same time)"
				type="number"
				min={1}
				max={1000}
				value={slots}
				onChange={(value) => setSlots(Math.max(1, Number(value)))}
			/>
			<p className="meta">
				It uses your own login. For a key run <code>brood subscription add --env-file</code>, for another login{" "}
				<code>brood subscription add --config-dir</code>.
			</p>
		</Dialog>
	);
}
