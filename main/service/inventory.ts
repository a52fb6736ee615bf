import { authorisedRequest } from './authorised-request';
import type { Http, ServiceResponse } from './http';
import type { ServiceFailure } from './service-error';
import type { AccessTokens } from './token';

export interface InventoryOptions {
  readonly http: Http;
  readonly tokens: AccessTokens;
  readonly baseUrl: string;
  /** The header that names the project. */
  readonly projectHeader: Readonly<Record<string, string>>;
}

const LIMITS = { headersMs: 15_000, totalMs: 30_000, maxBytes: 16 * 1024 * 1024 };

/**
 * Calls the inventory device operation with an empty object. Status 200, with or without a body, proves that
 * authentication and authorisation work.
 */
export function callInventory({
  http,
  tokens,
  baseUrl,
  projectHeader,
}: InventoryOptions): Promise<ServiceResponse | ServiceFailure> {
  return authorisedRequest(http, tokens, {
    operation: 'inventory',
    method: 'POST',
    url: `${baseUrl}/v1alpha/inventory/devices`,
    headers: { ...projectHeader, 'Content-Type': 'application/json', Accept: 'application/json' },
    body: '{}',
    limits: LIMITS,
    expects: [200],
    secrets: [],
  });
}
