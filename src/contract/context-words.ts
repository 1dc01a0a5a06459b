// What a fork takes along by default, in the words of command line, tools and HTTP. Nothing here loads zod.

export const withoutConversation = "without the conversation (the default for agents)";
export const withConversation = "with the conversation (the default for people)";
