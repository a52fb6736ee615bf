import { maySendDemographics } from '../settings/native-params';
import { type Settings, serviceAccount } from '../settings/settings';
import { createAdsClient } from './ads';
import { authorisedRequest } from './authorised-request';
import type { Http, ServiceResponse } from './http';
import type { ServiceFailure } from './service-error';
import { type AccessTokens, createAccessTokens, type TokenOptions } from './token';

/** Creates the service's clients from the settings. `tokens` and `inventory` null: there is no service account. */
export function createServiceClients(settings: Settings, options: Omit<TokenOptions, 'account'>) {
  const { http } = options;
  const { baseUrl } = settings.service;
  const { namespaceHeader, authentication } = settings.ads;
  const account = serviceAccount(settings);
  const projectHeader = account && { [namespaceHeader]: `project:${account.projectId}` };
  const tokens = account && createAccessTokens({ account, ...options });
  const ads = createAdsClient({
    ...settings.ads,
    http,
    baseUrl,
    tokens: authentication === 'bearer' ? tokens : null,
    projectHeader,
    sendDemographics: maySendDemographics(settings.native),
  });
  const inventory = tokens && projectHeader && (() => callInventory(http, tokens, baseUrl, projectHeader));
  return { tokens, ads, inventory };
}

const INVENTORY_LIMITS = { headersMs: 30_000, totalMs: 30_000, maxBytes: 64 * 1024 };

/**
 * Calls the inventory device operation with an empty object. Status 200, with or without a body, proves that
 * authentication and authorisation work. The body may list every device of the project, so it is not read.
 */
export function callInventory(
  http: Http,
  tokens: AccessTokens,
  baseUrl: string,
  projectHeader: Readonly<Record<string, string>>,
): Promise<ServiceResponse | ServiceFailure> {
  return authorisedRequest(http, tokens, {
    operation: 'inventory',
    method: 'POST',
    url: `${baseUrl}/v1alpha/inventory/devices`,
    headers: { ...projectHeader, 'Content-Type': 'application/json', Accept: 'application/json' },
    body: '{}',
    limits: INVENTORY_LIMITS,
    expects: [200],
    ignoresBody: true,
    secrets: [],
  });
}
