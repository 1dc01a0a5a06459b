// The tools for agents: name, description, input, the route that each calls with the token of the agent's process, and
// how the answer reads. No description names an agent, so that all agents send the same prompt prefix.
import type { Refusal, RefusalCode } from "#contract/refusal.ts";
import { agentTools } from "./tools/agents.ts";
import { mailTools } from "./tools/mail.ts";
import type { ToolAnswer, ToolContext } from "./tools/tool.ts";
import { workTools } from "./tools/work.ts";

export const tools = { ...agentTools, ...mailTools, ...workTools };

export type ToolName = keyof typeof tools;
export const toolNames = Object.keys(tools).filter((name): name is ToolName => name in tools);

export async function useTool(name: ToolName, input: unknown, toolContext: ToolContext): Promise<ToolAnswer | Refusal> {
	return await tools[name].run(toolContext, input);
}

export const refusalText = ({ code, message }: { code: RefusalCode; message: string }): string => `${code}: ${message}`;
