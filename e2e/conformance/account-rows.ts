import { type Row, row, testsOf } from './row';

const ads = testsOf('main/service/ads.test.ts');
const token = testsOf('main/service/token.test.ts');
const inventory = testsOf('main/service/inventory.test.ts');
const http = testsOf('main/service/http.test.ts');
const connection = testsOf('main/service/connection-test.test.ts');
const secret = testsOf('main/settings/secret.test.ts');
const names = testsOf('main/records/book-names.test.ts');
const form = token('is a form with encoded values, and has only the four parameters of the flow');
const headers = inventory('posts an empty object, with the token and the project in its headers');

const ADS: readonly Row[] = [
  row(
    'GET /v1alpha2/ads',
    'The path of the ads; what a deployment wants as parameters is a setting',
    ads(
      'carries params and offlineParams; a list repeats its parameter',
      'carries params and the filled onlineParams, without parameters that have no value',
    ),
  ),
  row(
    'ads.answer',
    'A list of ads, each with its metadata; one that is wrong leaves its neighbours alone',
    testsOf('main/service/ads-reading/read-ads.test.ts')(
      'is read into ads with their metadata',
      'keeps all good ads, whatever is wrong with a bad one',
    ),
  ),
  row(
    'ads.authentication',
    'Not described: the kiosk can send token and project, or do without',
    ads(
      'carries the access token and the project if ads need a token',
      'carries params and offlineParams; a list repeats its parameter',
    ),
    connection('ads that need no token are tried without one'),
  ),
];

const TOKEN: readonly Row[] = [
  row(
    'POST /oauth/v2/token',
    'The path of the token',
    form,
    token('keeps the path of the configured address'),
  ),
  row('token.Content-Type', 'The request is a form', form),
  row('token.Accept', 'The request asks for JSON', form),
  row('token.grant_type', 'Is `client_credentials`', form),
  row('token.client_id', 'Is sent with its special characters encoded, the at sign too', form),
  row('token.client_secret', 'Is sent encoded', form),
  row('token.scope', 'Is `openid`', form),
  row(
    'access_token',
    'The bearer token; an answer without one is an error',
    form,
    token('reports no token with its error code'),
  ),
  row(
    'token_type',
    'Is `Bearer`, in any case; any other type is an error',
    token(
      'takes an answer with a token type in capitals',
      'reports another type of token with its error code',
    ),
  ),
  row(
    'expires_in',
    'The lifetime in seconds',
    token(
      'expires_in 43199 is taken for 43199000 ms',
      'that never succeeds returns an error once the token expires',
    ),
  ),
  row('token.answer.scope', 'May be left out', token('takes an answer with no scope')),
  row(
    'credentials.client-id',
    'Identifies the service account; a wrong one is named to staff',
    form,
    connection('a wrong secret is explained, and steps that need the token are not tried'),
  ),
  row(
    'credentials.client-secret',
    'Is treated like a password: it never shows up in logs, errors or redirects',
    secret('only reveal() shows a secret'),
    token('neither token nor secret shows up in errors, logs or inspect output'),
  ),
  row('credentials.project-id', 'Names the project of the inventory', headers),
  row(
    'credentials.per-environment',
    'One set for each environment: it goes to the configured address alone, over TLS, and another project has books of its own',
    http('do not go over plain http to another machine', 'do not follow a redirect'),
    names('the name depends on the service, the project and the player'),
  ),
];

const INVENTORY: readonly Row[] = [
  row('POST /v1alpha/inventory/devices', 'The path of the devices', headers),
  row('inventory.Authorization', 'Carries the token as `Bearer`', headers),
  row(
    'inventory.X-Service-Namespace',
    'Names the project; a deployment may name the header differently',
    headers,
    ads('carries the access token and the project if ads need a token'),
  ),
  row('inventory.Content-Type', 'Is `application/json`', headers),
  row('inventory.body', 'An empty object is enough', headers),
  row(
    'inventory.200',
    'Status 200 means that token and project are right, whatever the body',
    inventory(
      'succeeds if the service answers 200 with no body',
      'succeeds if the service answers 200 with an empty object',
      'succeeds if the service answers 200 with a body that it does not know',
    ),
  ),
];

const FLOW: readonly Row[] = [
  row('oauth.obtain', 'A token is obtained with client ID and secret', form),
  row('oauth.every-request', 'Every call carries token and project', headers),
  row(
    'oauth.no-refresh-token',
    'There is no refresh token: near the end of its lifetime the token is requested anew',
    token(
      'happens in the background at about 80 % of the lifetime',
      'that fails is tried again, and the old token stays in use until it expires',
    ),
  ),
  row(
    'oauth.revoked',
    'A token that the service refuses is replaced once, and the call repeated',
    token('brings one new token and one more try'),
  ),
  row(
    'native.authentication',
    'The native interface takes `apptoken` and no header',
    testsOf('main/native/native-client.test.ts')(
      'requests the documented path without a token or extra headers',
    ),
  ),
];

export const ACCOUNT_AREAS = [
  { title: 'Area A: asking for ads', rows: ADS },
  { title: 'Area B: the token', rows: TOKEN },
  { title: 'Area B: the inventory', rows: INVENTORY },
  { title: 'Authentication', rows: FLOW },
];
