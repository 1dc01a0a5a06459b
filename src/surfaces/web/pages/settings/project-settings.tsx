// One project: automatic work, limits, and what its repository wants to run.
import { useState } from "react";
import type { Project, VendorAgent } from "#contract/wire.ts";
import { useAct, useRead } from "../../store/hooks.ts";
import { AgentTypeOptions } from "../../ui/agent-type-options.tsx";
import { Button } from "../../ui/button.tsx";
import { CodeBox } from "../../ui/code-box.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Loading, RefusedPlaceholder } from "../../ui/placeholder.tsx";

const onLimits = { wait: "wait", fallback: "use the fallback", stop: "stop until resumed" } as const;

interface SettingsChange {
	auto?: boolean;
	agentsMax?: number;
	agentType?: string | null;
	onLimit?: keyof typeof onLimits;
}

export function ProjectSettings({ project, vendors }: { project: Project; vendors: readonly VendorAgent[] }) {
	const { slug, path, auto, agentsMax, agentType, onLimit, problem } = project;
	const act = useAct();
	const configure = (body: SettingsChange) =>
		act("projectConfigure", { params: { project: slug }, body }, `${slug} was changed.`);
	return (
		<section className="panel" aria-labelledby={`project-${slug}`}>
			<h2 id={`project-${slug}`} className="panel-title">
				Project {slug} <span className="meta mono clip">{path}</span>
			</h2>
			{problem !== null && (
				<p className="panel-note">
					<span className="tone-bad">{problem.text}</span> <code>{problem.fix}</code>
				</p>
			)}
			<div className="settings-grid">
				<SelectField
					label="Automatic work"
					value={auto ? "on" : "off"}
					onChange={(value) => void configure({ auto: value === "on" })}
				>
					<option value="off">off: you assign issues</option>
					<option value="on">on: idle agents take the next issue</option>
				</SelectField>
				<SelectField
					label="Agent type of new agents"
					value={agentType ?? ""}
					onChange={(value) => void configure({ agentType: value === "" ? null : value })}
				>
					<option value="">none</option>
					<AgentTypeOptions vendors={vendors} current={agentType ?? ""} />
				</SelectField>
				<AgentsMax key={agentsMax} value={agentsMax} onChange={(next) => configure({ agentsMax: next })} />
				<SelectField
					label="At a usage limit"
					value={onLimit}
					onChange={(value) =>
						void configure({
							onLimit: value === "stop" ? "stop" : value === "fallback" ? "fallback" : "wait",
						})
					}
				>
					{Object.entries(onLimits).map(([value, name]) => (
						<option key={value} value={value}>
							{name}
						</option>
					))}
				</SelectField>
			</div>
			<Repository project={project} />
		</section>
	);
}

function AgentsMax({ value, onChange }: { value: number; onChange(next: number): unknown }) {
	const [text, setText] = useState(String(value));
	const commit = (): void => {
		const next = Number(text);
		if (Number.isInteger(next) && next > 0 && next !== value) onChange(next);
	};
	return (
		<TextField
			label="Add agents until the project has this many"
			type="number"
			min={1}
			value={text}
			onChange={setText}
			onBlur={commit}
			onKeyDown={({ key }) => key === "Enter" && commit()}
		/>
	);
}

/** Its preset, its base and the commands in force, and those that nobody has approved. */
function Repository({ project: { slug, problem, preset } }: { project: Project }) {
	const [again, setAgain] = useState(0);
	const read = useRead("projectSettings", { params: { project: slug } }, again);
	const act = useAct();
	// the project's problem is shown above
	if (read.state === "failed")
		return problem === null ? <RefusedPlaceholder refusal={read.refusal} again={read.again} /> : null;
	if (read.data === undefined) return <Loading what={`the commands of ${slug}`} rows={4} />;
	const { settings, unapprovedConfig } = read.data;
	return (
		<>
			<dl className="settings-list">
				{(["preset", "base", "setup", "check", "merge", "push"] as const).map((name) => (
					<div key={name}>
						<dt className="meta">{name}</dt>
						<dd className="mono">{name === "preset" ? preset : String(settings[name] ?? "none")}</dd>
					</div>
				))}
			</dl>
			{unapprovedConfig !== null && (
				<div className="settings-pending" role="alert">
					<p>The repository defines commands that nobody has approved yet:</p>
					<CodeBox label="Commands of the repository">
						{Object.entries(unapprovedConfig)
							.filter(([name, value]) => name !== "fingerprint" && value !== null && String(value) !== "")
							.map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
							.join("\n")}
					</CodeBox>
					<Button
						kind="primary"
						about={slug}
						onClick={async () => {
							const { fingerprint } = unapprovedConfig;
							await act(
								"projectApprove",
								{ params: { project: slug }, body: { fingerprint } },
								"Approved as it is now.",
							);
							setAgain(again + 1);
						}}
					>
						Approve exactly this
					</Button>
				</div>
			)}
		</>
	);
}
