// Labelled controls of a form. Each hands on what was typed or chosen, not the event.
import type { ComponentProps, ReactNode } from "react";

type FieldProps<E extends "input" | "textarea" | "select"> = Omit<ComponentProps<E>, "onChange"> & {
	label: ReactNode;
	onChange(value: string): void;
};

export function TextField({ label, onChange, ...input }: FieldProps<"input">) {
	return (
		<label className="field">
			<span>{label}</span>
			<input className="input" {...input} onChange={({ target }) => onChange(target.value)} />
		</label>
	);
}

export function TextAreaField({ label, onChange, ...textarea }: FieldProps<"textarea">) {
	return (
		<label className="field">
			<span>{label}</span>
			<textarea className="textarea" {...textarea} onChange={({ target }) => onChange(target.value)} />
		</label>
	);
}

/** `choices` are options that say what they are; others are given as children. */
export function SelectField({
	label,
	onChange,
	choices = [],
	children,
	...select
}: FieldProps<"select"> & { choices?: readonly string[] }) {
	return (
		<label className="field">
			<span>{label}</span>
			<select className="select" {...select} onChange={({ target }) => onChange(target.value)}>
				{children}
				{choices.map((each) => (
					<option key={each}>{each}</option>
				))}
			</select>
		</label>
	);
}
