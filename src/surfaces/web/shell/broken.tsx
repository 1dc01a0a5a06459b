// What a page shows when its own code fails: the rest of the dashboard goes on.
import { Component, type ReactNode } from "react";
import { messageOf } from "#contract/message-of.ts";

interface BrokenProps {
	/** the address of the page; another one is tried again */
	location: string;
	children: ReactNode;
}

export class Broken extends Component<BrokenProps, { error: unknown }> {
	override state: { error: unknown } = { error: null };

	static getDerivedStateFromError(error: unknown): { error: unknown } {
		return { error };
	}

	override componentDidUpdate({ location }: BrokenProps): void {
		if (location !== this.props.location && this.state.error !== null) this.setState({ error: null });
	}

	override render(): ReactNode {
		const { error } = this.state;
		if (error === null) return this.props.children;
		return (
			<div className="notice notice-bad" role="alert">
				<h1 className="notice-title">This page could not be displayed.</h1>
				<p className="notice-text">
					Something in its data is not as expected. Other pages still work, and nothing was lost.
				</p>
				<code className="notice-command">{messageOf(error)}</code>
				<button type="button" className="button" onClick={() => this.setState({ error: null })}>
					Try again
				</button>
			</div>
		);
	}
}
