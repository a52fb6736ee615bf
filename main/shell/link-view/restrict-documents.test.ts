import type { OnHeadersReceivedListenerDetails, Session } from 'electron';
import { expect, test } from 'vitest';
import { restrictDocuments } from './restrict-documents';

type Headers = Record<string, string[]>;
type Listener = (
  details: Pick<OnHeadersReceivedListenerDetails, 'resourceType' | 'responseHeaders'>,
  proceed: (answer: { responseHeaders: Headers }) => void,
) => void;

/** The headers that Chromium gets of a document with these headers. */
function restricted(headers: Headers): Headers {
  let listener: Listener = () => {};
  const onHeadersReceived = (given: Listener) => {
    listener = given;
  };
  restrictDocuments({ webRequest: { onBeforeSendHeaders() {}, onHeadersReceived } } as unknown as Session);
  let got: Headers = {};
  listener({ resourceType: 'mainFrame', responseHeaders: headers }, ({ responseHeaders }) => {
    got = responseHeaders;
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

test('any other document gets our policy beside its own', () => {
  const got = restricted({ 'content-type': ['text/html'], 'content-security-policy': ["img-src 'self'"] });
  expect(got).toEqual({
    'content-type': ['text/html'],
    'Content-Security-Policy': ["img-src 'self'", expect.stringMatching(/^sandbox (?!.*allow-modals)/)],
  });
});
