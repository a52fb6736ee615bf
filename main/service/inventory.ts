import { authorisedRequest } from './authorised-request';
import type { Http } from './http';
import type { ServerTime } from './server-time';
import type { ServiceFailure } from './service-error';
import type { AccessTokens } from './token';

export interface InventoryOptions {
  readonly http: Http;
  readonly tokens: AccessTokens;
  readonly baseUrl: string;
  readonly projectId: string;
  /** Name of the header that carries the project. */
  readonly namespaceHeader: string;
}

export interface InventoryAnswer {
  readonly kind: 'ok';
  readonly serverTime: ServerTime | null;
}

const LIMITS = { headersMs: 15_000, totalMs: 30_000, maxBytes: 16 * 1024 * 1024 };

/**
 * Calls the inventory device operation with an empty object. Status 200, with or without a body, proves that
 * authentication and authorisation work.
 */
export async function callInventory(options: InventoryOptions): Promise<InventoryAnswer | ServiceFailure> {
  const { http, tokens, baseUrl, projectId, namespaceHeader } = options;
  const response = await authorisedRequest(http, tokens, {
    operation: 'inventory',
    method: 'POST',
    url: `${baseUrl}/v1alpha/inventory/devices`,
    headers: {
      [namespaceHeader]: `project:${projectId}`,
      'Content-Type': 'application/json',
      Accept: 'application/json',
    },
    body: '{}',
    limits: LIMITS,
    expects: [200],
    secrets: [],
  });
  return response.kind === 'error' ? response : { kind: 'ok', serverTime: response.serverTime };
}
