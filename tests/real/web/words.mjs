// What the checks say to the agent of examples/web-chat, whose offline model must answer each in this way.
export const AGENT = process.env.WEB_AGENT ?? "support";
/** Answered with a text. */
export const TEXT = process.env.WEB_TEXT ?? "Hello";
/** Answered with a call that needs no approval, then a text. */
export const TOOL = process.env.WEB_TOOL ?? "Where is order 1042?";
/** Answered with a call that a clerk must approve, then, also if the call is denied, a text. */
export const REFUND = process.env.WEB_REFUND ?? "Please refund order 1042";
/** Answered with a text of many pieces, which takes three seconds or more. */
export const SLOW = process.env.WEB_SLOW ?? "Please count slowly";
/** The user who may approve, and the one who may not. */
export const CLERK = "cleo";
export const CUSTOMER = "ada";
