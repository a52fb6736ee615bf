import { type Answer, jsonAnswer } from './exchange';

/** The gRPC codes the service answers with, and the HTTP status its gateway maps each to. */
const CODES = {
  'invalid-argument': { code: 3, status: 400 },
  'not-found': { code: 5, status: 404 },
  'permission-denied': { code: 7, status: 403 },
  unauthenticated: { code: 16, status: 401 },
} as const;

/** An error as a gRPC gateway writes it: `{ code, message, details }`. */
export function rpcError(kind: keyof typeof CODES, message: string): Answer {
  const { code, status } = CODES[kind];
  return jsonAnswer(status, { code, message, details: [] });
}
