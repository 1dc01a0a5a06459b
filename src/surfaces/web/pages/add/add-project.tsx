// Adds a git repository as a project.
import { useState } from "react";
import { useLocation } from "wouter";
import { ProjectSlug } from "#contract/ids.ts";
import { useAct } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { paths } from "../../ui/paths.ts";

export function AddProject() {
	const act = useAct();
	const [, go] = useLocation();
	const [path, setPath] = useState("");
	const [name, setName] = useState<string | null>(null);
	const slug = ProjectSlug.safeParse(name ?? suggested(path));
	const why =
		path.trim() === ""
			? "Enter the repository's folder or URL."
			: slug.success
				? null
				: "Enter a name: lowercase letters, digits and hyphens.";
	const add = async (): Promise<void> => {
		if (!slug.success) return;
		const added = await act("projectAdd", { body: { slug: slug.data, path: path.trim() } }, `${slug.data} was added.`);
		if (added !== null) go(paths.agentAdd(slug.data));
	};
	return (
		<>
			<header className="page-header">
				<h1>Add a project</h1>
			</header>
			<Form className="form">
				<TextField
					label="Folder of a git repository on the daemon's machine, or a URL"
					className="input mono"
					placeholder="/home/me/src/web or https://…"
					value={path}
					onChange={setPath}
				/>
				<TextField label="Name" value={name ?? suggested(path)} onChange={setName} />
				<div className="bar">
					<Button kind="primary" why={why} onClick={add}>
						Add the project
					</Button>
				</div>
				<p className="meta">Nothing in the repository runs until you approve it, and no file of it is changed.</p>
			</Form>
		</>
	);
}

const suggested = (path: string): string =>
	(path.replace(/\/+$/, "").split(/[/:]/).at(-1) ?? "")
		.replace(/\.git$/, "")
		.toLowerCase()
		.replaceAll(/[^a-z0-9]+/g, "-")
		.replaceAll(/^-|-$/g, "");
