import type { OnHeadersReceivedListenerDetails, Session } from 'electron';
import { expect, test } from 'vitest';
import { restrictDocuments } from './restrict-documents';

type Headers = Record<string, string[]>;
interface Listeners {
  readonly onBeforeSendHeaders: (
    details: { readonly requestHeaders: Record<string, string> },
    proceed: (answer: object) => void,
  ) => void;
  readonly onHeadersReceived: (
    details: Pick<OnHeadersReceivedListenerDetails, 'resourceType' | 'responseHeaders'>,
    proceed: (answer: { responseHeaders: Headers }) => void,
  ) => void;
}

/** What listens to the requests of a session. */
function listeners(): Listeners {
  const found: Partial<Listeners> = {};
  const webRequest = {
    onBeforeSendHeaders: (given: Listeners['onBeforeSendHeaders']) =>
      void Object.assign(found, { onBeforeSendHeaders: given }),
    onHeadersReceived: (given: Listeners['onHeadersReceived']) =>
      void Object.assign(found, { onHeadersReceived: given }),
  };
  restrictDocuments({ webRequest } as unknown as Session);
  return found as Listeners;
}

/** The headers that Chromium gets of a document with these headers. */
function restricted(
  responseHeaders: Headers,
  resourceType: OnHeadersReceivedListenerDetails['resourceType'] = 'mainFrame',
): Headers {
  let got: Headers = {};
  listeners().onHeadersReceived({ resourceType, responseHeaders }, (answer) => {
    got = answer.responseHeaders;
  });
  return got;
}

test.each([
  'application/pdf',
  'application/signed-exchange;v=b3',
  'Application/Signed-Exchange',
  'text/html, application/signed-exchange;v=b3',
])('a document that would not be shown with our policy is downloaded, which is refused: %s', (type) => {
  const got = restricted({ 'content-type': [type], 'content-disposition': ['inline'] });
  expect(got['Content-Disposition']).toEqual(['attachment']);
  expect(got).not.toHaveProperty('content-disposition');
});

test.each(['mainFrame', 'subFrame', 'object'] as const)(
  'any other document in a %s gets our policy beside its own',
  (frame) => {
    const got = restricted(
      { 'content-type': ['text/html'], 'content-security-policy': ["img-src 'self'"] },
      frame,
    );
    expect(got).toEqual({
      'content-type': ['text/html'],
      'Content-Security-Policy': ["img-src 'self'", expect.stringMatching(/^sandbox (?!.*allow-modals)/)],
    });
  },
);

test('what is no document keeps its headers', () => {
  const headers = { 'content-type': ['application/pdf'] };
  expect(restricted(headers, 'image')).toEqual(headers);
});

test.each([
  [{ Accept: '*/*' }, { requestHeaders: { Accept: '*/*' } }],
  [{ 'Service-Worker': 'script' }, { cancel: true }],
  [{ 'sec-purpose': 'prefetch;prerender' }, { cancel: true }],
])('a request with the headers %j is answered with %j', (requestHeaders, expected) => {
  let got: object | null = null;
  listeners().onBeforeSendHeaders({ requestHeaders: { ...requestHeaders } as never }, (answer) => {
    got = answer;
  });
  expect(got).toEqual(expected);
});
