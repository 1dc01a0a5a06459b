// The cases of keys for agents and projects at several nodes, of which there is one here: most are refused.
import { freshRepository } from "#test/support/repository.ts";
import { project, type Subjects } from "./key-subjects.ts";

export const moving = {
	// it is at the only node already
	agentMove: async (c: Subjects) => {
		const agent = await c.agent();
		const move = (force: boolean) => ({ ...c.of(agent), body: { to: agent.node, force } });
		return { ...move(false), other: move(true), refused: true as const };
	},
	agentUpload: async (c: Subjects) => {
		const share = async () => ({ ...c.of(await c.worker()), body: {} });
		return { ...(await share()), other: await share() };
	},
	// the only node is its home
	siteAdd: async (c: Subjects) => {
		const { node } = await c.agent();
		const add = (path: string) => ({ params: { project }, body: { node, path } });
		return { ...add(freshRepository()), other: add("/nowhere"), refused: true as const };
	},
	// the only node is its home
	projectMove: async (c: Subjects) => {
		const { node } = await c.agent();
		const move = (force: boolean) => ({ params: { project }, body: { to: node, force } });
		return { ...move(false), other: move(true), refused: true as const };
	},
	siteSync: async (c: Subjects) => {
		const { node } = await c.agent();
		return { params: { project }, body: { node }, other: { params: { project: "none" }, body: { node } } };
	},
	// nobody is merging it
	siteMerge: async (c: Subjects) => {
		const { id: agent } = await c.agent();
		const merge = (digit: string) => ({ params: { project }, body: { agent, commit: digit.repeat(40) } });
		return { ...merge("0"), other: merge("1"), refused: true as const };
	},
	siteRemove: async (c: Subjects) => {
		const node = (await c.agent()).node ?? "";
		return { params: { project, node }, other: { params: { project: "other", node } }, refused: true as const };
	},
};
