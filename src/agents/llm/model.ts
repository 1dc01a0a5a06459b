// The model for a name like `anthropic/claude-…`, with the key and the address from the environment.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";
import { TurnFailed } from "../acp-agent.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export function modelOf(name: string | null, env: Environment): LanguageModel {
	const [, provider = "", model = ""] = /^([a-z]+)\/(.+)$/.exec(name ?? "") ?? [];
	const make = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
	if (make !== undefined) return make(model, env);
	const known = Object.keys(providers).map((each) => `${each}/…`);
	throw new TurnFailed(
		`${name === null ? "This agent has no model" : `${name} is not a model that is known here`}: give it one of ${known.join(", ")} with \`brood agent configure --model\`.`,
	);
}

const providers: Record<string, (model: string, env: Environment) => LanguageModel> = {
	anthropic: (model, env) =>
		createAnthropic({ ...keyOf(env, "ANTHROPIC_API_KEY"), ...addressOf(env["ANTHROPIC_BASE_URL"]) })(model),
	// the older of the two interfaces: it stores nothing at the provider, and many servers offer it
	openai: (model, env) =>
		createOpenAI({ ...keyOf(env, "OPENAI_API_KEY"), ...addressOf(env["OPENAI_BASE_URL"]) }).chat(model),
	google: (model, env) =>
		createGoogleGenerativeAI({
			...keyOf(env, "GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"),
			...addressOf(env["GOOGLE_GENERATIVE_AI_BASE_URL"]),
		})(model),
	compatible: (model, env) => {
		const baseURL = env["COMPATIBLE_BASE_URL"] ?? env["OPENAI_BASE_URL"];
		if (baseURL === undefined)
			throw new TurnFailed("compatible/… needs the address of a server in COMPATIBLE_BASE_URL.");
		const apiKey = env["COMPATIBLE_API_KEY"] ?? env["OPENAI_API_KEY"];
		return createOpenAICompatible({
			name: "compatible",
			baseURL,
			includeUsage: true,
			...(apiKey !== undefined && { apiKey }),
		})(model);
	},
};

function keyOf(env: Environment, ...names: [string, ...string[]]): { apiKey: string } {
	const apiKey = names.map((name) => env[name]).find((value) => value !== undefined && value !== "");
	if (apiKey === undefined)
		throw new TurnFailed(
			`This model needs a key in ${names[0]}: in the daemon's environment, or in the file of a subscription.`,
		);
	return { apiKey };
}

const addressOf = (baseURL: string | undefined) => (baseURL === undefined || baseURL === "" ? {} : { baseURL });
