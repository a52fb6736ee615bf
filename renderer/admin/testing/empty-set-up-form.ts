import type { SetUpForm } from '../../../shared/admin';

/** The form of the first set-up before anything is typed. */
export const EMPTY_SET_UP_FORM: SetUpForm = {
  baseUrl: '',
  authUrl: '',
  nativeUrl: '',
  clientId: '',
  clientSecret: null,
  projectId: '',
  playerId: '',
  playerKey: '',
  apptoken: null,
  zoneId: '',
  proxyUrl: '',
  proxyUser: '',
  proxyPassword: null,
  caFile: '',
};
