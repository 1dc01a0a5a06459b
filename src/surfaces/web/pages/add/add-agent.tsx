// Adds an agent: its project, what runs it, and its first prompt.
import { useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { ProjectSlug } from "#contract/ids.ts";
import type { VendorAgent } from "#contract/wire.ts";
import { workspaceKinds } from "#contract/workspace.ts";
import { useAct, useRead, useSeen } from "../../store/hooks.ts";
import { AgentTypeOptions } from "../../ui/agent-type-options.tsx";
import { Button } from "../../ui/button.tsx";
import { SelectField, TextAreaField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { paths } from "../../ui/paths.ts";
import { Empty, Loading } from "../../ui/placeholder.tsx";
import { RefusedNote } from "../../ui/refused-note.tsx";

const noFields = { project: "", type: "", name: "", model: "", workspace: "worktree", prompt: "" };

export function AddAgent() {
	const { projects, isLoaded } = useSeen();
	const vendors = useRead("vendors", {});
	const act = useAct();
	const [, go] = useLocation();
	const [fields, setFields] = useState<Fields>(noFields);
	const set = (name: keyof Fields) => (value: string) => setFields({ ...fields, [name]: value });
	const [query] = useSearchParams();
	// one that was added a moment ago may not have arrived yet
	const named = projects.find(({ slug }) => slug === query.get("project")) ?? projects[0];
	const project = ProjectSlug.safeParse(fields.project || named?.slug);
	const ready = vendors.data?.find(({ installed, loggedIn }) => installed !== null && loggedIn);
	const type = fields.type || projects.find(({ slug }) => slug === project.data)?.agentType || (ready?.type ?? "");
	if (!isLoaded) return <Loading what="the form" isPage />;
	if (projects.length === 0)
		return (
			<Empty title="Add a project first." isPage>
				<Link className="button button-primary" href={paths.projectAdd()}>
					Add a project
				</Link>
			</Empty>
		);
	const add = async (): Promise<void> => {
		if (!project.success) return;
		const { name, model, prompt, workspace } = fields;
		const kind = [...workspaceKinds, "none" as const].find((each) => each === workspace) ?? "worktree";
		const body = {
			type,
			workspace: kind,
			wait: false,
			...(name !== "" && { name }),
			...(model !== "" && { model }),
			...(prompt.trim() !== "" && { prompt: prompt.trim(), title: prompt.trim().slice(0, 200) }),
		};
		const agent = await act("agentAddTo", { params: { project: project.data }, body });
		if (agent !== null) go(paths.agent(agent.id));
	};
	return (
		<>
			<header className="page-header">
				<h1>Add an agent</h1>
			</header>
			<Form className="form">
				<ProjectAndType
					fields={fields}
					project={project.data ?? ""}
					type={type}
					vendors={vendors.data ?? []}
					set={set}
				/>
				<RefusedNote read={vendors} what="The vendors' agents" />
				<NameAndPrompt fields={fields} set={set} />
				<div className="bar">
					<Button kind="primary" why={type === "" ? "Choose an agent type." : null} onClick={add}>
						Add the agent
					</Button>
				</div>
			</Form>
		</>
	);
}

interface Fields {
	project: string;
	type: string;
	name: string;
	model: string;
	workspace: string;
	prompt: string;
}

interface FieldProps {
	fields: Fields;
	set(name: keyof Fields): (value: string) => void;
}

interface ProjectAndTypeProps extends FieldProps {
	project: string;
	type: string;
	vendors: readonly VendorAgent[];
}

/** Where it works and what runs it. */
function ProjectAndType({ project, type, vendors, set }: ProjectAndTypeProps) {
	const { projects } = useSeen();
	return (
		<>
			<SelectField
				label="Project"
				value={project}
				onChange={set("project")}
				choices={projects.map(({ slug }) => slug)}
			/>
			<SelectField label="Agent type" value={type} onChange={set("type")}>
				{type === "" && <option value="">choose one</option>}
				<AgentTypeOptions vendors={vendors} />
			</SelectField>
		</>
	);
}

/** What it is called, and what it does first. */
function NameAndPrompt({ fields, set }: FieldProps) {
	return (
		<>
			<TextField label="Name (optional, derived from the prompt)" value={fields.name} onChange={set("name")} />
			<TextField label="Model (optional)" value={fields.model} onChange={set("model")} />
			<SelectField
				label="Workspace"
				value={fields.workspace}
				onChange={set("workspace")}
				choices={[...workspaceKinds, "none"]}
			/>
			<TextAreaField label="First prompt" rows={4} value={fields.prompt} onChange={set("prompt")} />
		</>
	);
}
