import { maySendDemographics } from '../settings/native-params';
import { type Settings, serviceAccount } from '../settings/settings';
import { createAdsClient } from './ads';
import { callInventory } from './inventory';
import { createAccessTokens, type TokenOptions } from './token';

/** Creates the clients for token, inventory and ads from the settings. Null: there is no service account. */
export function createServiceClients(settings: Settings, options: Omit<TokenOptions, 'account'>) {
  const { http } = options;
  const { baseUrl } = settings.service;
  const { namespaceHeader, authentication, params, offlineParams, onlineParams } = settings.ads;
  const account = serviceAccount(settings);
  const projectHeader = account && { [namespaceHeader]: `project:${account.projectId}` };
  const tokens = account && createAccessTokens({ account, ...options });
  const ads = createAdsClient({
    ...{ http, baseUrl, params, offlineParams, onlineParams },
    tokens: authentication === 'bearer' ? tokens : null,
    projectHeader,
    sendDemographics: maySendDemographics(settings.native),
  });
  const inventory =
    tokens && projectHeader && (() => callInventory({ http, tokens, baseUrl, projectHeader }));
  return { tokens, ads, inventory };
}
