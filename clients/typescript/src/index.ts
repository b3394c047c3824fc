/**
 * A client for a tabletalk server, over `fetch`, without dependencies.
 *
 * @packageDocumentation
 */
export * from "./client.js";
export { TabletalkError } from "./error.js";
export type * from "./replies.js";
export type * from "./api.js";
