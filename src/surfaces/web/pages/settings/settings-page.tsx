// Settings: projects with what runs in them, the vendors' agents, the browsers that are signed in, and how this one
// shows the dashboard.
import { useState } from "react";
import { Link } from "wouter";
import type { Browser } from "#contract/browser.ts";
import type { VendorAgent } from "#contract/wire.ts";
import { setTheme, theme, themes } from "../../shell/theme.ts";
import { type Read, useAct, useRead, useSeen } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField } from "../../ui/field.tsx";
import { paths } from "../../ui/paths.ts";
import { Empty, Loading, RefusedPlaceholder } from "../../ui/placeholder.tsx";
import { browserName } from "./browser-name.ts";
import { ProjectSettings } from "./project-settings.tsx";

export function SettingsPage() {
	const { projects, isLoaded } = useSeen();
	const [again, setAgain] = useState(0);
	const vendors = useRead("vendors", {}, again);
	if (!isLoaded) return <Loading what="the settings" isPage />;
	return (
		<>
			<header className="page-header">
				<h1>Settings</h1>
				<span className="spread" />
				<Link className="button" href={paths.projectAdd()}>
					Add a project
				</Link>
			</header>
			<div className="overview">
				{projects.length === 0 && <Empty title="No projects yet.">Add a git repository to work in.</Empty>}
				{projects.map((project) => (
					<ProjectSettings key={project.slug} project={project} vendors={vendors.data ?? []} />
				))}
				<Vendors read={vendors} onChanged={() => setAgain(again + 1)} />
				<Browsers />
				<Appearance />
			</div>
		</>
	);
}

function Vendors({ read, onChanged }: { read: Read<readonly VendorAgent[]>; onChanged(): void }) {
	const act = useAct();
	return (
		<section className="panel" aria-labelledby="vendors">
			<h2 id="vendors" className="panel-title">
				Vendors' agents
			</h2>
			{read.state === "failed" && <RefusedPlaceholder refusal={read.refusal} again={read.again} />}
			{read.state === "loading" && <Loading what="the vendors' agents" rows={4} />}
			<ul className="rows">
				{(read.data ?? []).map(({ type, title, installed, loggedIn, login }) => (
					<li key={type} className="row">
						<span className="row-name clip">{title}</span>
						<span className="row-line">
							{installed === null ? "not installed" : `adapter ${installed}`} ·{" "}
							{loggedIn ? "login found" : `no login found: ${login}`}
						</span>
						<Button
							about={title}
							onClick={async () => {
								await act("setup", { params: { type }, body: {} }, `${title} is set up.`);
								onChanged();
							}}
						>
							{installed === null ? "Install" : "Check"}
						</Button>
					</li>
				))}
			</ul>
		</section>
	);
}

function Browsers() {
	const [again, setAgain] = useState(0);
	const read = useRead("browsers", {}, again);
	const act = useAct();
	return (
		<section className="panel" aria-labelledby="browsers">
			<h2 id="browsers" className="panel-title">
				Signed-in browsers
			</h2>
			{read.state === "failed" && <RefusedPlaceholder refusal={read.refusal} again={read.again} />}
			{read.state === "loading" && <Loading what="the browsers" rows={1} />}
			<ul className="rows">
				{(read.data ?? []).toSorted(byInterest).map(({ id, name, expiresAt, isCaller = false }) => (
					<li key={id} className="row">
						<span className="row-name mono clip">{id}</span>
						<span className="row-line clip" title={name}>
							{browserName(name)}
							{isCaller && <strong> · this browser</strong>}
						</span>
						<span className="meta">until {new Date(expiresAt).toLocaleDateString()}</span>
						<Button
							kind="danger"
							about={id}
							onClick={async () => {
								await act("browserSignOut", { params: { browser: id } }, "Signed out.");
								setAgain(again + 1);
							}}
						>
							Sign out
						</Button>
					</li>
				))}
			</ul>
		</section>
	);
}

/** One's own first, which would be the last of up to fifty; then those that signed in last. */
const byInterest = (one: Browser, other: Browser): number =>
	Number(other.isCaller ?? false) - Number(one.isCaller ?? false) ||
	Date.parse(other.signedInAt) - Date.parse(one.signedInAt);

function Appearance() {
	const [chosen, setChosen] = useState(theme);
	const choose = (name: string): void => {
		const next = themes.find((each) => each === name);
		if (next === undefined) return;
		setTheme(next);
		setChosen(next);
	};
	return (
		<section className="panel" aria-labelledby="appearance">
			<h2 id="appearance" className="panel-title">
				In this browser
			</h2>
			<div className="settings-grid">
				<SelectField label="Theme" value={chosen} choices={themes} onChange={choose} />
			</div>
		</section>
	);
}
