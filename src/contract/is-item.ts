/** A kind without a dot is an item of the conversation. Apart from `item.ts`, so that clients load no schemas for it. */
export const isItem = ({ kind }: { readonly kind: string }): boolean => !kind.includes(".");
